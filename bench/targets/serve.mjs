import { setTimeout as wait } from 'node:timers/promises'
import { expect, median } from '../measure.mjs'
import { cpuOf, startProgram } from '../start-program.mjs'

/** @type {import('../target.mjs').Target} */
export default {
  name: 'serve',
  measures: 'the endpoint through real HTTP, beside a bare node:http that writes the same frames from memory',
  target:
    '100 streams: 2 times the bare server, on web streams 2.6; 1,000: 1.6 times a translator alone, 2.2 times a bare web stream; 64 kB a stream',

  async run({ size }) {
    const load = await startProgram('load')
    const servers = Object.fromEntries(
      await Promise.all(KINDS.map(async (kind) => [kind, await startProgram('serve', kind)])),
    )
    try {
      await warmUp({ servers, load, rounds: size(50, 1), count: size(100, 5) })
      const rows = []
      for (const count of size([1, 100, 1000], [1, 10])) {
        const tokens = size(count === 1 ? 20_000 : 500, 20)
        rows.push(...(await perToken({ servers, load, count, tokens, rounds: size(count === 1000 ? 2 : 3, 1) })))
      }
      rows.push(...(await latency({ servers, load, count: size(100, 5), tokens: size(100, 10) })))
      rows.push(...(await memory({ servers, load, count: size(1000, 10) })))
      rows.push(await wholeAnswers({ servers, load, count: size(2000, 20) }))
      return rows
    } finally {
      for (const { child } of [load, ...Object.values(servers)]) child.kill()
    }
  },
}

const KINDS = ['bare', 'send', 'push', 'stream', 'node', 'web']
const NAMES = {
  bare: 'the bare server',
  send: 'sendEvents alone',
  push: 'a translator alone',
  stream: 'a bare web stream',
  node: 'Node responses',
  web: 'web streams',
}
/**
 * Targets by the number of streams, in times of another server's. A thousand streams do not fit in a processor's cache, and what
 * a miss costs differs by machine more than our code does: there, the other is the least that translates, or streams, as ours.
 */
const LIMITS = {
  100: [
    { kind: 'node', beside: 'bare', atMost: 2 },
    { kind: 'web', beside: 'bare', atMost: 2.6 },
  ],
  1000: [
    { kind: 'node', beside: 'push', atMost: 1.6 },
    { kind: 'web', beside: 'stream', atMost: 2.2 },
  ],
}

/**
 * Brings each server to the state of one that has run for a while: V8 still compiles our code for a request until some
 * thousands have come, and a request takes twice as long before.
 */
async function warmUp({ servers, load, rounds, count }) {
  for (const server of Object.values(servers)) {
    await server.ask('script', { tokens: 20, everyMs: 0 })
    for (let round = 0; round < rounds; round++) await load.ask('streams', { port: server.port, count })
  }
}

async function perToken({ servers, load, count, tokens, rounds }) {
  const samples = new Map(KINDS.map((kind) => [kind, []]))
  for (let round = -1; round < rounds; round++) {
    for (let turn = 0; turn < KINDS.length; turn++) {
      const kind = KINDS[(turn + round + 1) % KINDS.length]
      const server = servers[kind]
      const { bytes } = await server.ask('script', { tokens, everyMs: 0 })
      const micros = await cpuOf(server, async () => {
        const answer = await load.ask('streams', { port: server.port, count })
        expect(answer.wrong === 0, `${kind}: ${answer.wrong} of ${count} streams are not whole`)
        const isRight = Math.abs(answer.bytes - bytes) < bytes * 0.05 + 200
        expect(isRight, `${kind}: a stream of ${answer.bytes} bytes, and not ${bytes}`)
      })
      // The first round warms up.
      if (round >= 0) samples.get(kind).push(micros / count / tokens)
    }
  }
  const of = (kind) => median(samples.get(kind))
  const ratio = (kind, beside) => median(samples.get(kind).map((micros, at) => micros / samples.get(beside)[at]))
  const streams = `${count.toLocaleString('en')} ${count === 1 ? 'stream' : 'streams'}`
  const costs = ['node', 'web', 'push', 'send', 'stream'].map((kind) => ({
    figure: `${streams}, ${NAMES[kind]}`,
    value: ratio(kind, 'bare'),
    unit: 'x',
    note: `${of(kind).toFixed(1)} us/token, bare ${of('bare').toFixed(1)}; one core carries ${capacity(of(kind))} streams of 50/s`,
  }))
  const targets = (LIMITS[count] ?? []).map(({ kind, beside, atMost }) => ({
    figure: `${streams}, ${NAMES[kind]} beside ${NAMES[beside]}`,
    ...{ value: ratio(kind, beside), unit: 'x', atMost },
  }))
  return [...costs, ...targets]
}

function capacity(microsPerToken) {
  return Math.round(1e6 / microsPerToken / 50).toLocaleString('en')
}

/** Measures the latency from the engine's step to the client, at a pace that keeps no server busy. */
async function latency({ servers, load, count, tokens }) {
  const found = {}
  for (const kind of KINDS) {
    const server = servers[kind]
    const { first } = await server.ask('script', { tokens, everyMs: 20, together: count })
    const { times, wrong } = await load.ask('streams', { port: server.port, count, isTimed: true })
    expect(wrong === 0, `${kind}: ${wrong} streams are not whole`)
    const steps = await server.ask('steps')
    // Each token behind the header is one delta.
    expect(
      times.every((list) => list.length === tokens),
      `${kind}: a stream has not ${tokens} deltas`,
    )
    const delays = times.flatMap((list) => list.map((time, at) => time - steps[at + first]))
    delays.sort((a, b) => a - b)
    const at = (share) => delays[Math.floor(delays.length * share)] ?? 0
    found[kind] = { p50: at(0.5), p99: at(0.99) }
  }
  return ['node', 'web'].map((kind) => {
    const { p50, p99 } = found[kind]
    return {
      figure: `added latency at ${count} streams of 50/s, ${NAMES[kind]}: p99`,
      value: p99 - found.bare.p99,
      unit: 'ms',
      note: `p50 ${(p50 - found.bare.p50).toFixed(2)} ms added; bare p50 ${found.bare.p50.toFixed(2)}, p99 ${found.bare.p99.toFixed(2)}`,
    }
  })
}

/** Measures the memory of an open stream, and of one whose reader has stopped. */
async function memory({ servers, load, count }) {
  const rows = []
  for (const kind of ['node', 'web']) {
    const server = servers[kind]
    for (const isPaused of [false, true]) {
      // The sockets' own buffers, of megabytes each, fill before a server notices a stalled reader.
      const some = isPaused ? Math.ceil(count / 50) : count
      await server.ask('script', {
        tokens: isPaused ? 100_000 : 200,
        everyMs: 0,
        holdAfter: isPaused ? undefined : 100,
      })
      const before = await server.ask('memory')
      await load.ask('hold', { port: server.port, count: some, isPaused })
      const after = await settled(server)
      await load.ask('release')
      await settled(server)
      rows.push({
        figure: `memory of ${isPaused ? 'a stream whose reader stopped' : 'an open stream'}, ${NAMES[kind]}`,
        value: (after.heap - before.heap) / some / 1024,
        unit: 'kB',
        ...(isPaused ? {} : { atMost: 64 }),
        note: `${((after.rss - before.rss) / some / 1024).toFixed(0)} kB of the process, with its sockets`,
      })
    }
  }
  return rows
}

/** The memory of an idle server. */
async function settled(server) {
  for (let before = await server.ask('cpu'); ; ) {
    await wait(200)
    const after = await server.ask('cpu')
    if (after.user + after.system - before.user - before.system < 20_000) return await server.ask('memory')
    before = after
  }
}

async function wholeAnswers({ servers, load, count }) {
  const server = servers.node
  await server.ask('script', { tokens: 20, everyMs: 0 })
  const ask = (requests) => load.ask('requests', { port: server.port, count: requests, atOnce: 32 })
  await ask(Math.ceil(count / 4))
  const micros = await cpuOf(server, async () => {
    const { wrong } = await ask(count)
    expect(wrong === 0, `${wrong} answers are not whole`)
  })
  return {
    figure: 'requests a second without streaming, 20 tokens each',
    value: (1e6 * count) / micros,
    unit: '/s',
    note: `${(micros / count).toFixed(0)} us of processor time each`,
  }
}
