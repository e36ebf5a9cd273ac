#!/usr/bin/env node
import { appendFile, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import * as nodeModule from 'node:module'
import { dirname } from 'node:path'
import { text } from 'node:stream/consumers'
import { isatty } from 'node:tty'
import { fileURLToPath } from 'node:url'
import { run } from './run.js'
import { listenForStopSignals, type StopSignals } from './stop-signals.js'

// From Node 22.8 on, a command starts a tenth faster from its second run.
const { enableCompileCache } = nodeModule as { readonly enableCompileCache?: () => void }
enableCompileCache?.()

// Without standard input: opening it takes longer than checking a small file, and most commands do not read it.
const { stdout, stderr, argv, env } = process

// When the reader is gone, the next write fails with that error; without a listener it would also end the process.
stdout.on('error', () => {})
stderr.on('error', () => {})

const manifest: { version: string } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))

let stops: StopSignals | undefined
process.exitCode = await run(argv.slice(2), {
  version: manifest.version,
  screen: {
    columns: Number(env['COLUMNS']) || stdout.columns || 120,
    hasColors: stdout.isTTY === true && !env['NO_COLOR'],
  },
  env,
  fixtures: fileURLToPath(new URL('../../fixtures', import.meta.url)),
  // Not `dateOf`: only files of cli/ are loaded before a command is known.
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
  // Readable by its owner only: it records who asked for what.
  appendFile: (path, piece) => appendFile(path, piece, { mode: 0o600 }),
  pieces: (path) => (path === '-' ? piecesOfStdin() : piecesOfFile(path)),
  print: (piece) =>
    new Promise((resolve, reject) => stdout.write(piece, (error) => (error ? reject(error) : resolve()))),
  complain: (line) => stderr.write(line),
  onStop(listener) {
    stops = listenForStopSignals(listener)
    return stops.end
  },
  onReload(listener) {
    const isTerminalGone = watchTerminal()
    const hangUp = (): void => {
      if (!isTerminalGone()) listener()
      // As without a listener for SIGHUP, if nothing can be stopped yet.
      else if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(129)
    }
    process.on('SIGHUP', hangUp)
    return () => process.off('SIGHUP', hangUp)
  },
})
// Open handles would keep the process alive.
if (stops !== undefined && stops.count > 1) process.exit()

// Both are imported on demand: `--help` touches no file.

async function makeFolder(path: string): Promise<void> {
  await (await import('./make-folder.js')).makeFolder(path)
}

async function* piecesOfFile(path: string): AsyncGenerator<Uint8Array> {
  yield* (await import('./file-pieces.js')).filePieces(path)
}

/**
 * Returns a function that tells whether the terminal of this process has been closed. The system says so by the same
 * signal, SIGHUP, by which an operator asks to read files again. Under `nohup` there is no terminal. On Windows the
 * signal says nothing else.
 */
function watchTerminal(): () => boolean {
  const terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor))
  return () => process.platform === 'win32' || (terminals.length > 0 && !terminals.some((each) => isatty(each)))
}

/**
 * Ends standard input at Ctrl-C, so that the input so far is judged: usually the sender receives the signal too. A
 * second Ctrl-C ends the process.
 */
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
