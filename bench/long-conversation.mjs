// What one owner's long conversation costs another owner of the same store.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSqliteStore } from '../dist/endpoint/stores/sqlite/index.js'
import { hasSqlite } from './has-sqlite.mjs'
import { expect } from './measure.mjs'
import { startProgram } from './start-program.mjs'

const EVERY_MS = 20
/** In seconds: what a server has by default. */
const LEASE = '10'
/** The longest gap of the other owner's stream by processor time, in milliseconds. */
const GAP = 100

/**
 * 200 requests of one owner continue a conversation in SQLite at once, while another owner reads a stream and a second
 * process waits for work.
 *
 * @returns the rows; none without SQLite
 */
export async function longConversation({ size, isWanted }) {
  const all = [
    { what: `${size(2000, 5).toLocaleString('en')} turns`, turns: size(2000, 5), letters: 200, count: size(200, 3) },
    { what: '30 MB', turns: size(60, 3), letters: size(500_000, 1000), count: size(10, 3), model: 'strict' },
  ]
  const conversations = all.filter((conversation) => isWanted(nameOf(conversation)))
  if (conversations.length === 0) return []
  if (!(await hasSqlite('fair: no SQLite here, its rows are left out'))) return []
  const folder = mkdtempSync(join(tmpdir(), 'bench-fair-'))
  const file = join(folder, 'responses.db')
  const load = await startProgram('load')
  const server = await startProgram('serve', 'sqlite', file, LEASE)
  const idle = await startProgram('serve', 'sqlite', file, LEASE)
  try {
    const rows = []
    for (const conversation of conversations) {
      const { what, turns, letters, count, model } = conversation
      // Written by a third process, so that the server knows none of it.
      const last = await writeConversation({ server, load, file, turns, letters })
      await server.ask('script', { tokens: size(40_000, 400), everyMs: EVERY_MS })
      await load.ask('watch', { port: server.port, count: 1, owner: 'bob', store: true })
      await new Promise((resolve) => setTimeout(resolve, size(2_000, 100)))
      await load.ask('gap')
      await server.ask('longestTurn')
      await server.ask('longestOfThread')
      const before = performance.now()
      const { statuses } = await load.ask('continue', { port: server.port, owner: 'ann', previous: last, count, model })
      const seconds = (performance.now() - before) / 1000
      const { gap, open } = await load.ask('gap')
      const turn = await server.ask('longestOfThread')
      const { rss } = await server.ask('memory')
      expect(open === 1, `${what}: the other owner's stream has ended`)
      rows.push({
        figure: nameOf(conversation),
        value: turn,
        unit: 'ms',
        atMost: GAP,
        note: `longest gap of the other owner's stream ${gap.toFixed(0)} ms; RSS ${(rss / 1e6).toFixed(0)} MB; answers ${statuses} in ${seconds.toFixed(1)} s`,
      })
      await load.ask('release')
    }
    return rows
  } finally {
    for (const { child } of [load, server, idle]) child.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

const nameOf = ({ what, count }) => `${count} requests that continue ${what} of SQLite`

/** Writes a chain of copies of a real response. Returns the id of the last one. */
async function writeConversation({ server, load, file, turns, letters }) {
  await server.ask('script', { tokens: 16, everyMs: 0 })
  const { id } = await load.ask('one', { port: server.port, owner: 'ann', input: 'a'.repeat(letters) })
  const store = await createSqliteStore({ file })
  try {
    const { finished } = await store.find(id, 'ann')
    // JSON would make objects of the transcripts, which nobody reads.
    const text = JSON.stringify(finished, (_, value) => (value instanceof Uint32Array ? [...value] : value))
    let previous = id
    for (let at = 1; at < turns; at++) {
      const responseId = `${id}${at}`
      const { lease } = await store.open({
        ...{ responseId, owner: 'ann', previous, leaseSeconds: 60 },
        entries: { count: 0, bytes: new Uint8Array() },
      })
      const own = JSON.parse(text.replaceAll(/"id":"([a-z]+_[^"]*)"/g, (_, name) => `"id":"${name}${at}"`))
      const history = own.history.map((entry) => ({ ...entry, items: entry.items?.map((item) => `${item}${at}`) }))
      await store.append([{ lease, at: 0, end: { finished: { ...own, history } }, leaseSeconds: 60 }])
      previous = responseId
    }
    return previous
  } finally {
    await store.close()
  }
}
