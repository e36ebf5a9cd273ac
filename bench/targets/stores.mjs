import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresObstacle, startPostgres } from '../../test/support/postgres-cluster.mjs'
import { redisObstacle, startRedis } from '../../test/support/redis-server.mjs'
import { hasSqlite } from '../has-sqlite.mjs'
import { expect, median } from '../measure.mjs'
import { cpuOf, startProgram } from '../start-program.mjs'

/** @type {import('../target.mjs').Target} */
export default {
  name: 'stores',
  measures:
    'the endpoint with its responses in SQLite, in Postgres and in Redis (durability: process), beside its memory and a bare node:http',
  target:
    'at 1,000 streams one bare token more than in memory; p99 20 ms at 100, in Redis 5; no stall 30 ms above a bare one',

  async run({ size }) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-stores-'))
    const file = join(folder, 'responses.db')
    const load = await startProgram('load')
    const bare = await startProgram('serve', 'bare')
    const memory = await startProgram('serve', 'memory')
    const sqlite = (await hasSqlite('stores: no SQLite here, only the memory is measured'))
      ? await startProgram('serve', 'sqlite', file)
      : undefined
    const cluster = await serverHere('Postgres', postgresObstacle, startPostgres)
    const settings = { appendonly: 'yes', appendfsync: 'everysec' }
    const keys = await serverHere('Redis', redisObstacle, () => startRedis({ settings }))
    const postgres = cluster && (await startProgram('serve', 'postgres', cluster.url))
    const redis = keys && (await startProgram('serve', 'redis', keys.url))
    const stores = { ...(sqlite && { sqlite }), ...(postgres && { postgres }), ...(redis && { redis }) }
    const servers = { bare, memory, ...stores }
    const places = { sqlite: file, postgres: cluster?.url, redis: keys?.url }
    try {
      const rows = []
      for (const count of size([1, 100, 1000], [1, 10])) {
        const tokens = size(count === 1 ? 5000 : 300, 20)
        const rounds = size(count === 1000 ? 2 : 3, 1)
        rows.push(...(await perToken({ servers, load, count, tokens, rounds })))
      }
      for (const count of size([1, 100, 1000], [5])) {
        const tokens = size(100, 10)
        rows.push(...(await latency({ servers, load, count, tokens })))
      }
      for (const [kind, server] of Object.entries(stores)) {
        rows.push(await kept({ kind, server, load, count: size(50, 5), tokens: size(1000, 20) }))
        rows.push(await takeOver({ kind, server, load, place: places[kind] }))
      }
      return rows
    } finally {
      for (const { child } of [load, ...Object.values(servers)]) child.kill()
      await cluster?.remove()
      await keys?.remove()
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

/** A server of a database, unless there is none here: then it is told. */
async function serverHere(name, obstacleOf, start) {
  const obstacle = obstacleOf()
  if (obstacle === undefined) return await start()
  console.error(`stores: no ${name} here: it ${obstacle}`)
}

/** How a store is named in a row. */
const NAMES = { sqlite: 'SQLite', postgres: 'Postgres', redis: 'Redis' }

/** The most that a store may add at 100 streams, in milliseconds. */
const ADDED = { sqlite: 20, postgres: 20, redis: 5 }

/** Microseconds of processor time for a token, if streams step as fast as the server can. */
async function perToken({ servers, load, count, tokens, rounds }) {
  const kinds = Object.keys(servers)
  const samples = new Map(kinds.map((kind) => [kind, []]))
  for (let round = -1; round < rounds; round++) {
    for (let turn = 0; turn < kinds.length; turn++) {
      const kind = kinds[(turn + round + 1) % kinds.length]
      const server = servers[kind]
      await server.ask('script', { tokens, everyMs: 0 })
      const micros = await cpuOf(server, async () => {
        const { wrong } = await load.ask('streams', { port: server.port, count, store: true })
        expect(wrong === 0, `${kind}: ${wrong} of ${count} streams are not whole`)
      })
      // The first round warms up.
      if (round >= 0) samples.get(kind).push(micros / count / tokens)
    }
  }
  const of = (kind) => median(samples.get(kind))
  const streams = `${count.toLocaleString('en')} ${count === 1 ? 'stream' : 'streams'}`
  const rows = [
    {
      figure: `${streams}, processor time for a token, memory`,
      value: of('memory') / of('bare'),
      unit: 'x bare',
      note: `${of('memory').toFixed(1)} us, bare ${of('bare').toFixed(1)}`,
    },
  ]
  const stores = kinds.filter((kind) => kind in NAMES)
  return [
    ...rows,
    ...stores.map((kind) => ({
      figure: `${streams}, processor time for a token, ${NAMES[kind]} above memory`,
      value: median(
        samples.get(kind).map((micros, at) => (micros - samples.get('memory')[at]) / samples.get('bare')[at]),
      ),
      unit: 'x bare',
      // 9 us if a bare token takes 8.7.
      ...(count === 1000 && { atMost: 1.03 }),
      note: `${of(kind).toFixed(1)} us, ${(of(kind) - of('memory')).toFixed(1)} above memory`,
    })),
  ]
}

/** From the step of the engine to the client, at 50 tokens a second and stream, and the longest stall meanwhile. */
async function latency({ servers, load, count, tokens }) {
  const found = {}
  for (const [kind, server] of Object.entries(servers)) {
    const { first } = await server.ask('script', { tokens, everyMs: 20, together: count })
    await server.ask('stall')
    const { times, wrong } = await load.ask('streams', { port: server.port, count, isTimed: true, store: true })
    const stall = await server.ask('stall')
    expect(wrong === 0, `${kind}: ${wrong} streams are not whole`)
    const steps = await server.ask('steps')
    const delays = times.flatMap((list) => list.map((time, at) => time - steps[at + first]))
    delays.sort((a, b) => a - b)
    const at = (share) => delays[Math.floor(delays.length * share)] ?? 0
    found[kind] = { p50: at(0.5), p99: at(0.99), stall }
  }
  const streams = `${count.toLocaleString('en')} ${count === 1 ? 'stream' : 'streams'} of 50/s`
  return Object.keys(servers)
    .filter((kind) => kind !== 'bare')
    .flatMap((kind) => {
      const { p50, p99, stall } = found[kind]
      return [
        {
          figure: `${streams}, added latency, ${kind}: p99`,
          value: p99 - found.bare.p99,
          unit: 'ms',
          ...(kind in NAMES && count === 100 && { atMost: ADDED[kind] }),
          note: `p50 ${(p50 - found.bare.p50).toFixed(2)} ms added; bare p50 ${found.bare.p50.toFixed(2)}, p99 ${found.bare.p99.toFixed(2)}`,
        },
        {
          // All streams begin, step and end together, which by itself stalls a server that writes frames from memory.
          figure: `${streams}, longest stall of the event loop, ${kind}, above bare`,
          value: stall - found.bare.stall,
          unit: 'ms',
          ...(kind in NAMES && count === 1000 && { atMost: 30 }),
          note: `${stall.toFixed(0)} ms, bare ${found.bare.stall.toFixed(0)}`,
        },
      ]
    })
}

/** Measures the size of finished responses. */
async function kept({ kind, server, load, count, tokens }) {
  await server.ask('script', { tokens, everyMs: 0 })
  const before = await server.ask('kept')
  const { wrong } = await load.ask('streams', { port: server.port, count, store: true })
  expect(wrong === 0, `${wrong} streams are not whole`)
  const after = await server.ask('kept')
  return {
    figure: `${NAMES[kind]}, ${kind === 'redis' ? 'in memory' : 'on disk'}, for a token of a response of ${tokens.toLocaleString('en')}`,
    value: (after - before) / count / tokens,
    unit: 'B',
    note: 'its text, its entries and its transcript',
  }
}

/** Measures the time from the death of a process to the first token of its successor, beyond the lease. */
async function takeOver({ kind, server, load, place }) {
  const dying = await startProgram('serve', kind, place)
  await dying.ask('script', { tokens: 2000, everyMs: 10 })
  await server.ask('script', { tokens: 2000, everyMs: 10 })
  const { id, seen } = await load.ask('begin', { port: dying.port })
  dying.child.kill('SIGKILL')
  const died = performance.now()
  // Excludes events that the dead process wrote and the client had not read.
  const written = await load.ask('written', { port: server.port, id, seen, ms: 300 })
  await load.ask('next', { port: server.port, ...written })
  return {
    figure: `${NAMES[kind]}, take-over, beyond the lease of 1 s`,
    value: performance.now() - died - 1000,
    unit: 'ms',
    atMost: 300,
    note: 'from SIGKILL to the first token of the process that goes on; the lease is renewed by each append',
  }
}
