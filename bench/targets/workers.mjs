import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { postgresObstacle, startPostgres } from '../../test/support/postgres-cluster.mjs'
import { processorMs, startServe } from '../command.mjs'
import { expect, median } from '../measure.mjs'
import { startProgram } from '../start-program.mjs'

/** @type {import('../target.mjs').Target} */
export default {
  name: 'workers',
  measures:
    'serve --workers 2 beside --workers 1 on one Postgres, by the processor time of its own processes: without the engine, the clients and Postgres',
  target: 'two workers on two cores carry 1.6 times the streams of one; first token p99 200 ms at 400 streams',

  async run({ size }) {
    const obstacle = postgresObstacle()
    if (obstacle !== undefined) return { skipped: `no Postgres here: it ${obstacle}` }
    const cluster = await startPostgres()
    const [load, upstream] = [await startProgram('load'), await startProgram('upstream')]
    const commands = []
    try {
      const env = {
        HARMONY_RESPONSES_STORE: cluster.url,
        HARMONY_RESPONSES_SEAL_KEYS: Buffer.alloc(32, 1).toString('base64'),
      }
      const servers = {}
      for (const workers of [1, 2]) {
        servers[workers] = await startWorkers(`http://127.0.0.1:${upstream.port}`, workers, env)
        commands.push(servers[workers].child)
      }
      const given = { servers, load, upstream }
      const [carried, rounds, tokens] = [size(100, 4), size(3, 1), size(200, 20)]
      return [
        await carriedStreams({ ...given, count: carried, rounds, tokens }),
        await firstToken({ ...given, count: size(400, 4), tokens: size(120, 20) }),
      ]
    } finally {
      for (const child of commands) child.kill()
      for (const { child } of [load, upstream]) child.kill()
      await cluster.remove()
    }
  },
}

/** How long the engine takes for a token, in milliseconds; and where streams begin one after another, so many apart. */
const EVERY_MS = 25
const SLOWLY_MS = 100
const APART_MS = 25

/** Starts `serve` with workers, and waits until all of them run. */
async function startWorkers(vllm, workers, env) {
  const { url, child } = await startServe(vllm, { args: ['--workers', String(workers)], env })
  const children = () => readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ')
  while (children().length < workers) await wait(50)
  const metrics = async () => (await fetch(`${url}/metrics`, { headers: { connection: 'close' } })).text()
  while (!(await metrics()).includes(`\nharmony_workers ${workers}\n`)) await wait(50)
  return { port: Number(new URL(url).port), child, workers: children().map(Number) }
}

/**
 * How many times the streams of one worker two can carry on two cores: by the busiest worker, which is full first, and by
 * all processes together, which have two cores. Each worker has as many streams in both: a token costs less among more.
 */
async function carriedStreams({ servers, load, upstream, count, rounds, tokens }) {
  const ratios = []
  let note = ''
  for (let round = -1; round < rounds; round++) {
    /** Microseconds for a token. */
    const spent = {}
    for (const [workers, server] of Object.entries(servers)) {
      await upstream.ask('script', { tokens, everyMs: EVERY_MS })
      const pids = [server.child.pid, ...server.workers]
      const before = pids.map(processorMs)
      const streams = count * server.workers.length
      const { wrong } = await load.ask('streams', { port: server.port, count: streams, store: true })
      expect(wrong === 0, `${workers} workers: ${wrong} of ${streams} streams are not whole`)
      const [first, ...own] = pids.map((pid, at) => ((processorMs(pid) - before[at]) * 1000) / streams / tokens)
      spent[workers] = { first, busiest: Math.max(...own), all: own.reduce((sum, each) => sum + each, first) }
    }
    // The first round warms up.
    if (round < 0) continue
    const [one, both] = [spent[1], spent[2]]
    ratios.push(Math.min(one.busiest / both.busiest, (2 * one.busiest) / both.all))
    const us = (micros) => `${micros.toFixed(1)} us`
    note = `${count} streams a worker; a token takes one worker ${us(one.busiest)}, two ${us(both.all)} together, of which the busier has ${us(both.busiest)}, and the first process ${us(both.first)}`
  }
  return { figure: 'streams that two workers carry, beside one', value: median(ratios), unit: 'x', atLeast: 1.6, note }
}

/** From a request to its first token, while others arrive and all run at the end, without the steps of the engine. */
async function firstToken({ servers, load, upstream, count, tokens }) {
  const { first } = await upstream.ask('script', { tokens, everyMs: SLOWLY_MS })
  const { wrong, times, sent } = await load.ask('streams', {
    ...{ port: servers[2].port, count, store: true, isTimed: true },
    apartMs: APART_MS,
  })
  expect(wrong === 0, `${wrong} of ${count} streams are not whole`)
  const delays = times.map(([token], at) => token - sent[at] - first.completions * SLOWLY_MS)
  delays.sort((one, other) => one - other)
  const at = (share) => delays[Math.floor(delays.length * share)] ?? 0
  const note = `p50 ${at(0.5).toFixed(0)} ms; ${1000 / APART_MS} streams begin a second, each of ${1000 / SLOWLY_MS} tokens a second, on cores that the engine, the clients and Postgres share`
  return { figure: `first token at ${count} streams, two workers: p99`, value: at(0.99), unit: 'ms', atMost: 200, note }
}
