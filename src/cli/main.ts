#!/usr/bin/env node
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { run } from './run.js'

const { stdin, stdout, stderr, argv, env } = process

// When the reader goes away, the next write fails and says so; without a listener the error would end the process, too.
stdout.on('error', () => {})

const manifest: { version: string } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))

process.exitCode = await run(argv.slice(2), {
  version: manifest.version,
  screen: {
    columns: Number(env['COLUMNS']) || stdout.columns || 120,
    hasColors: stdout.isTTY === true && !env['NO_COLOR'],
  },
  readFile: (path) => readFile(path, 'utf8'),
  readStdin: () => text(stdin),
  pieces: (path) => (path === '-' ? piecesOfStdin() : createReadStream(path)),
  print: (piece) =>
    new Promise((resolve, reject) => stdout.write(piece, (error) => (error ? reject(error) : resolve()))),
  complain: (line) => stderr.write(line),
})

/** Ctrl-C ends what is read, so that what came is judged: most often the sender hears it, too. A second one ends us. */
async function* piecesOfStdin(): AsyncGenerator<Uint8Array> {
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
