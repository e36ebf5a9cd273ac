#!/usr/bin/env node
import { readdir, readFile } from 'node:fs/promises'
import * as nodeModule from 'node:module'
import { dirname } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { onceInterrupted, onReload, onStop } from '../shared/system/platform/signals.js'
import { run } from './run.js'

// From Node 22.8 on, a command starts a tenth faster from its second run.
const { enableCompileCache } = nodeModule as { readonly enableCompileCache?: () => void }
enableCompileCache?.()

// Without standard input: opening it takes longer than checking a small file, and most commands do not read it.
const { stdout, stderr, argv, env } = process

// When the reader is gone, the next write fails with that error; without a listener it would also end the process.
stdout.on('error', () => {})
stderr.on('error', () => {})

const manifest: { version: string } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))

let stops = 0
process.exitCode = await run(argv.slice(2), {
  version: manifest.version,
  screen: {
    columns: Number(env['COLUMNS']) || stdout.columns || 120,
    hasColors: stdout.isTTY === true && !env['NO_COLOR'],
    isLive: stdout.isTTY === true && stderr.isTTY === true && env['TERM'] !== 'dumb',
  },
  env,
  fixtures: fileURLToPath(new URL('../../fixtures', import.meta.url)),
  page: fileURLToPath(new URL('../page', import.meta.url)),
  // Not `dateOf`: only files of cli/ are loaded before a command is known.
  today: () => new Date().toISOString().slice(0, 10),
  time: () => new Date().toISOString().slice(11, 19),
  readFile: async (path) => (await textFiles()).readText(path),
  readFolder: (path) => readdir(path),
  readStdin: async () => (await textFiles()).decodeText(await buffer(process.stdin)),
  makeFolder,
  async writeFile(path, pieces) {
    await makeFolder(dirname(path))
    await (await textFiles()).writeWhole(path, pieces)
  },
  // Readable by its owner only: it records who asked for what.
  appendFile: async (path, piece) => (await textFiles()).appendPrivately(path, piece),
  pieces: (path) => (path === '-' ? piecesOfStdin() : piecesOfFile(path)),
  print: (piece) =>
    new Promise((resolve, reject) => stdout.write(piece, (error) => (error ? reject(error) : resolve()))),
  complain: (line) => stderr.write(line),
  onStop(listener) {
    const stop = (): void => {
      stops += 1
      listener()
    }
    return onStop(stop, process)
  },
  onReload: (listener) => onReload(listener, process),
})
// Open handles would keep the process alive.
if (stops > 1) process.exit()

// These are imported on demand: `--help` touches no file.

function textFiles() {
  return import('../shared/system/platform/text-files.js')
}

async function makeFolder(path: string): Promise<void> {
  await (await import('./make-folder.js')).makeFolder(path)
}

async function* piecesOfFile(path: string): AsyncGenerator<Uint8Array> {
  yield* (await import('./file-pieces.js')).filePieces(path)
}

/**
 * Ends standard input at Ctrl-C, so that the input so far is judged: usually the sender receives the signal too. A
 * second Ctrl-C ends the process.
 */
async function* piecesOfStdin(): AsyncGenerator<Uint8Array> {
  const { stdin } = process
  let isInterrupted = false
  onceInterrupted(() => {
    isInterrupted = true
    stdin.destroy()
  }, process)
  try {
    yield* stdin
  } catch (error) {
    if (!isInterrupted) throw error
  }
}
