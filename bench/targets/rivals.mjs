import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { processorMs } from '../command.mjs'
import { expect, median } from '../measure.mjs'
import { CONTENDERS } from '../rivals/contenders.mjs'
import { install } from '../rivals/install.mjs'
import { startProgram } from '../start-program.mjs'

/** What other servers take. */
const AT_MOST = { token: 1.6, late: 6, whole: 0.6, start: 200, turn: 12 }

/** What is measured, by which `--row` chooses. */
const START = 'processor time from start to first answer'
const STREAMS = 'streams'
const FIRST = 'first tokens of streams at once'
const WHOLE = 'processor time of a whole answer of 20 tokens'
const TURN = 'a turn of a long conversation'

/** Tokens of the conversation whose turns are measured. */
const CONVERSATION = 50_000

/** @type {import('../target.mjs').Target} */
export default {
  name: 'rivals',
  measures:
    'serve in front of a server of vLLM that answers at a pace, beside a bare relay and other servers of the Responses API',
  target:
    "at 100 streams 1.6 times the relay's processor time a token, and 6 ms added at p99; whole answers 0.6 ms, a turn after " +
    '50,000 tokens 12 ms, start to first answer 200 ms',

  async run({ size, smoke, isWanted }) {
    if (process.platform !== 'linux') return { skipped: 'it reads processor time from /proc, which only Linux has' }
    const folder = mkdtempSync(join(tmpdir(), 'bench-rivals-'))
    const { bin, obstacle } = await install({ isAsked: !smoke })
    const [upstream, load] = [await startProgram('upstream'), await startProgram('load')]
    const place = { url: `http://127.0.0.1:${upstream.port}`, bin, folder }
    const here = CONTENDERS.filter(({ isOther = false }) => !isOther || bin !== undefined)
    const servers = new Map()
    try {
      // What is asked while a server starts is answered at once.
      await upstream.ask('script', { tokens: 20, everyMs: 0 })
      const rows = isWanted(START) ? await startRows({ here, place, rounds: size(5, 1) }) : []
      for (const { name, start } of here) servers.set(name, await start(place))
      const on = { here, servers, upstream, load, place }
      await warmUp(on, size(30, 1), size(100, 5))
      for (const count of size([100, 400], [5])) {
        if (isWanted(`${count} ${STREAMS}`)) {
          rows.push(...(await tokenRows(on, { count, tokens: size(200, 10), rounds: size(3, 1) })))
        }
        if (isWanted(`${count} ${FIRST}`)) rows.push(...(await firstRows(on, count)))
      }
      if (isWanted(WHOLE)) rows.push(...(await wholeRows(on, size(500, 10), size(3, 1))))
      if (isWanted(TURN)) rows.push(...(await turnRows(on, size(CONVERSATION, 500), size(20, 2))))
      return [...rows, ...CONTENDERS.filter((one) => !here.includes(one)).map(({ name }) => missing(name, obstacle))]
    } finally {
      for (const { child } of [upstream, load, ...servers.values()]) child.kill()
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

const missing = (name, obstacle) => ({ figure: name, value: 0, unit: '', note: obstacle })
const target = (name, key) => (name === 'ours' ? { atMost: AT_MOST[key] } : {})

/** V8 compiles our code, and the relay's, until some thousands of requests have come. */
async function warmUp({ here, servers, upstream, load }, rounds, count) {
  await upstream.ask('script', { tokens: 20, everyMs: 0 })
  for (const { name, store } of here) {
    const { port } = servers.get(name)
    for (let round = 0; round < rounds; round++) await load.ask('streams', { port, count, store })
  }
}

/** Runs each contender in turn, in each round from another one. */
async function inTurns(here, rounds, run) {
  // The first round warms up.
  for (let round = -1; round < rounds; round++) {
    for (let turn = 0; turn < here.length; turn++) {
      const contender = here[(turn + round + here.length) % here.length]
      await run(contender, round >= 0)
    }
  }
}

/** A list for each contender. */
const samplesOf = (here) => new Map(here.map(({ name }) => [name, []]))

async function tokenRows({ here, servers, upstream, load }, { count, tokens, rounds }) {
  const [costs, late] = [samplesOf(here), samplesOf(here)]
  const direct = []
  const streams = async (port, store) => {
    const { first } = await upstream.ask('script', { tokens, everyMs: 20, together: count })
    const { wrong, times } = await load.ask('streams', { port, count, store, isTimed: true })
    expect(wrong === 0, `${wrong} of ${count} streams are not whole`)
    return { first, times, steps: await upstream.ask('steps') }
  }
  await inTurns(here, rounds, async ({ name, store }, isCounted) => {
    const { port, child } = servers.get(name)
    const before = processorMs(child.pid)
    const { first, times, steps } = await streams(port, store)
    if (!isCounted) return
    costs.get(name).push(((processorMs(child.pid) - before) * 1000) / count / tokens)
    const at = name.startsWith('ours') ? first.completions : first.responses
    late.get(name).push(quantile(delaysOf(times, steps, at), 0.99))
  })
  for (let round = 0; round < rounds; round++) {
    const { first, times, steps } = await streams(upstream.port)
    direct.push(quantile(delaysOf(times, steps, first.responses), 0.99))
  }
  const [base] = here
  const of = (name) => median(costs.get(name))
  const relay = costs.get(base.name)
  return here.flatMap(({ name, about }) => [
    {
      figure: `${count} ${STREAMS}, processor time of a token, ${name}`,
      value: median(costs.get(name).map((micros, at) => micros / relay[at])),
      unit: 'x relay',
      ...(count === 100 && target(name, 'token')),
      note: `${of(name).toFixed(1)} us; ${about}`,
    },
    {
      figure: `${count} ${STREAMS}, p99 added to a token, ${name}`,
      value: median(late.get(name)) - median(direct),
      unit: 'ms',
      ...(count === 100 && target(name, 'late')),
      note: `without a server between ${median(direct).toFixed(1)} ms`,
    },
  ])
}

const delaysOf = (times, steps, first) => times.flatMap((list) => list.map((time, at) => time - steps[at + first]))

function quantile(values, share) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0
}

/** The time from a request to its first delta, if that many come at once. */
async function firstRows({ here, servers, upstream, load }, count) {
  const found = new Map()
  await upstream.ask('script', { tokens: 50, everyMs: 20 })
  const ask = async (port, store) => {
    const { times, sent } = await load.ask('streams', { port, count, store, isTimed: true })
    return times.map(([first], at) => first - sent[at])
  }
  const direct = await ask(upstream.port)
  await inTurns(here, 1, async ({ name, store }) => {
    found.set(name, await ask(servers.get(name).port, store))
  })
  return here.map(({ name }) => {
    const added = (share) => quantile(found.get(name), share) - quantile(direct, share)
    const note = `p50 ${added(0.5).toFixed(0)} ms`
    return {
      figure: `${count} ${FIRST}, p99 added, ${name}`,
      value: added(0.99),
      unit: 'ms',
      note,
    }
  })
}

async function wholeRows({ here, servers, upstream, load }, count, rounds) {
  const costs = samplesOf(here)
  await upstream.ask('script', { tokens: 20, everyMs: 0 })
  await inTurns(here, rounds, async ({ name, store }, isCounted) => {
    const { port, child } = servers.get(name)
    const before = processorMs(child.pid)
    const { wrong } = await load.ask('requests', { port, count, atOnce: 32, store })
    expect(wrong === 0, `${name}: ${wrong} answers are not whole`)
    if (isCounted) costs.get(name).push((processorMs(child.pid) - before) / count)
  })
  return here.map(({ name }) => ({
    figure: `${WHOLE}, ${name}`,
    value: median(costs.get(name)),
    unit: 'ms',
    ...target(name, 'whole'),
  }))
}

/** A conversation by `previous_response_id`, for those that store. */
async function turnRows({ here, servers, upstream }, tokens, turns) {
  await upstream.ask('script', { tokens: 20, everyMs: 0 })
  const words = ' the quick brown fox jumps over the lazy dog and then'
  const input = Array.from({ length: 50 }, () => ({ role: 'user', content: words.repeat(Math.ceil(tokens / 550)) }))
  const rows = []
  for (const { name, store } of here) {
    if (!store) continue
    const { port, child } = servers.get(name)
    let previous
    const turn = async (given) => {
      const before = processorMs(child.pid)
      const body = {
        model: 'gpt-oss',
        input: given,
        store,
        stream: true,
        ...(previous && { previous_response_id: previous }),
      }
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(`http://127.0.0.1:${port}/v1/responses`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      const text = await answer.text()
      previous = /"id":"(resp_[^"]+)"/.exec(text)?.[1]
      expect(text.includes('event: response.completed'), `${name}: ${text.slice(0, 500)}`)
      return processorMs(child.pid) - before
    }
    await turn(input)
    const second = await turn('And then?')
    let all = 0
    for (let at = 0; at < turns; at++) all += await turn('And then?')
    rows.push({
      figure: `${TURN}, ${name}`,
      value: all / turns,
      unit: 'ms',
      ...(name === 'ours, stored' && { atMost: AT_MOST.turn }),
      note: `after ${tokens.toLocaleString('en')} tokens; the second turn ${second.toFixed(0)} ms`,
    })
  }
  return rows
}

/** The processor time from the start of a process to the end of its first answer. */
async function startRows({ here, place, rounds }) {
  const [costs, elapsed] = [samplesOf(here), samplesOf(here)]
  await inTurns(here, rounds, async ({ name, start, store = false }, isCounted) => {
    const before = performance.now()
    const { port, child } = await start(place)
    const body = JSON.stringify({ model: 'gpt-oss', input: 'Go on.', stream: true, store })
    const headers = { 'content-type': 'application/json' }
    const text = await (await fetch(`http://127.0.0.1:${port}/v1/responses`, { method: 'POST', headers, body })).text()
    expect(text.includes('event: response.completed'), `${name}: ${text.slice(0, 500)}`)
    if (isCounted) {
      costs.get(name).push(processorMs(child.pid))
      elapsed.get(name).push(performance.now() - before)
    }
    child.kill()
  })
  return here.map(({ name }) => ({
    figure: `${START}, ${name}`,
    value: median(costs.get(name)),
    unit: 'ms',
    ...target(name, 'start'),
    note: `elapsed ${median(elapsed.get(name)).toFixed(0)} ms`,
  }))
}
