#!/usr/bin/env node
import { appendFile, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import * as nodeModule from 'node:module'
import { dirname } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { run } from './run.js'

// From Node 22.8 on a command starts a tenth faster by its second run.
const { enableCompileCache } = nodeModule as { readonly enableCompileCache?: () => void }
enableCompileCache?.()

// Not standard input: to open it takes longer than to check a small file, and most commands read none.
const { stdout, stderr, argv, env } = process

// When the reader goes away, the next write fails and says so; without a listener the error would end the process, too.
stdout.on('error', () => {})
stderr.on('error', () => {})

const manifest: { version: string } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))

let stops = 0
process.exitCode = await run(argv.slice(2), {
  version: manifest.version,
  screen: {
    columns: Number(env['COLUMNS']) || stdout.columns || 120,
    hasColors: stdout.isTTY === true && !env['NO_COLOR'],
  },
  env,
  fixtures: fileURLToPath(new URL('../../fixtures', import.meta.url)),
  today: () => new Date().toISOString().slice(0, 10),
  time: () => new Date().toISOString().slice(11, 19),
  readFile: (path) => readFile(path, 'utf8'),
  readFolder: (path) => readdir(path),
  readStdin: () => text(process.stdin),
  makeFolder,
  async writeFile(path, pieces) {
    await makeFolder(dirname(path))
    await writeFile(`${path}.part`, pieces)
    await rename(`${path}.part`, path)
  },
  // Only its owner may read it: it says who asked for what.
  appendFile: (path, piece) => appendFile(path, piece, { mode: 0o600 }),
  pieces: (path) => (path === '-' ? piecesOfStdin() : piecesOfFile(path)),
  print: (piece) =>
    new Promise((resolve, reject) => stdout.write(piece, (error) => (error ? reject(error) : resolve()))),
  complain: (line) => stderr.write(line),
  onStop(listener) {
    const stop = (): void => {
      stops += 1
      listener()
    }
    process.on('SIGINT', stop).on('SIGTERM', stop)
    return () => process.off('SIGINT', stop).off('SIGTERM', stop)
  },
})
// Handles that are still open would keep the process alive.
if (stops > 1) process.exit()

// Both are imported when they are needed: `--help` touches no file.

async function makeFolder(path: string): Promise<void> {
  await (await import('./make-folder.js')).makeFolder(path)
}

async function* piecesOfFile(path: string): AsyncGenerator<Uint8Array> {
  yield* (await import('./file-pieces.js')).filePieces(path)
}

/** Ctrl-C ends what is read, so that what came is judged: most often the sender hears it, too. A second one ends us. */
async function* piecesOfStdin(): AsyncGenerator<Uint8Array> {
  const { stdin } = process
  let isInterrupted = false
  process.once('SIGINT', () => {
    isInterrupted = true
    stdin.destroy()
  })
  try {
    yield* stdin
  } catch (error) {
    if (!isInterrupted) throw error
  }
}
