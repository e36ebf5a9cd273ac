import fc from 'fast-check'
import { urlCitations } from '../../dist/core/citations/index.js'
import { MALFORMED_SHAPES, malformedTranscript } from '../../dist/judge/conformance/arbitraries/index.js'
import { checkEvents } from '../../dist/judge/conformance/index.js'
import { SEED } from '../inputs.mjs'
import { inputs, Translator, tokenTable } from '../library.mjs'
import { expect, median, on } from '../measure.mjs'
import { push } from '../push.mjs'

/** A stream this much longer may take this much longer per token: the time still counts as linear. */
const LONGER = 8
const LINEAR = 1.5
const SLOWEST = 3

/** @type {import('../target.mjs').Target} */
export default {
  name: 'worst',
  measures: 'the worst inputs we know beside a message of varied tokens, per token, and each at two lengths',
  target:
    `at most ${SLOWEST} times the common case; ` +
    `with ${LONGER} times the tokens at most ${LINEAR} times the time each`,

  async run({ compare, glance, size }) {
    const short = size(2_000, 300)
    const drawn = MALFORMED_SHAPES.map((shape) => draw([shape], size(40, 4)))
    const cases = [...CASES, caseOf('the malformed shapes, mixed', draw(undefined, size(2_000, 60)))]
    const rows = []
    // Sequentially: beside twenty others the common case has other figures than alone.
    for (const one of cases) rows.push(...(await rowsOf(one, short, compare)))

    const shapes = drawn.map((shape, index) => caseOf(`malformed shape ${MALFORMED_SHAPES[index]}`, shape))
    const seen = []
    for (const shape of shapes) {
      const times = await glance(contendersOf(shape), inputsOf(shape, short))
      seen.push({ shape, slow: times.ratio('long', 'common'), growth: times.ratio('long', 'short') })
    }
    rows.push({
      figure: 'the malformed shapes one by one, at a glance: the median',
      value: median(seen.map(({ slow }) => slow)),
      unit: 'x',
      note: `${seen.filter(({ slow }) => slow > SLOWEST).length} of them above ${SLOWEST}`,
    })
    // The apparently worst inputs are measured closely.
    const slowest = seen.reduce((worst, one) => (one.slow > worst.slow ? one : worst)).shape
    const steepest = seen.reduce((worst, one) => (one.growth > worst.growth ? one : worst)).shape
    for (const shape of new Set([slowest, steepest])) rows.push(...(await rowsOf(shape, short, compare)))
    return rows
  },
}

/** `times` the usual number of tokens: more if only many show the growth, fewer if few take long. */
const CASES = [
  { figure: 'invalid UTF-8', make: inputs.invalid },
  { figure: 'emoji, a token for each byte', make: inputs.emoji },
  { figure: 'tokens of 128 bytes', make: inputs.longest },
  { figure: 'maximal headers', make: inputs.longHeaders, request: declaring('f'), times: 0.5 },
  { figure: 'messages of one token', make: inputs.shortMessages, times: 2 },
  { figure: 'hosted calls and their results', make: inputs.toolLoop, request: codeInterpreter(), times: 5 },
  { figure: 'parallel calls, answered last first', make: parallelCalls(1), request: mcpServer(), times: 5 },
  { figure: 'results that come twice', make: parallelCalls(2), request: mcpServer(), times: 5 },
  { figure: 'results by id, last first', make: parallelCalls(0), request: mcpServer(), times: 5, isById: true },
  { figure: 'parallel calls without results', make: parallelCalls(0), request: mcpServer(), times: 5 },
  { figure: 'varied tokens, read for citations', make: inputs.varied, citations: urlCitations() },
  { figure: 'marks that never end', make: inputs.openMarks, citations: urlCitations() },
  { figure: 'marks of unknown pages', make: inputs.unknownMarks, citations: urlCitations() },
]

function declaring(name) {
  return { tools: [{ type: 'function', name, parameters: { type: 'object', properties: {} }, strict: false }] }
}

function codeInterpreter() {
  return { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }
}

function mcpServer() {
  return { tools: [{ type: 'mcp', server_label: 'm', require_approval: 'never' }] }
}

/** With thousands of calls, a search for the call of each result would be quadratic. */
function parallelCalls(results) {
  return (count, seed) => inputs.parallelCalls(count, seed, results)
}

/** Transcripts of malformed shapes, and a request that declares the tools of all. */
function draw(shapes, count) {
  const arbitrary = malformedTranscript({ tokenTable, ...(shapes && { shapes }) })
  const transcripts = fc.sample(arbitrary, { seed: SEED, numRuns: count })
  const tools = new Map(transcripts.flatMap(({ request }) => request.tools ?? []).map((tool) => [tool.name, tool]))
  return { turns: transcripts.map(({ tokens }) => tokens), request: { tools: [...tools.values()] } }
}

function caseOf(figure, { turns, request }) {
  return { figure, make: (count) => inputs.turns(count, turns), request }
}

/** The same in every round: these inputs are bad in any order. */
function inputsOf({ make, times = 1 }, short) {
  const [few, many] = [short * times, short * times * LONGER]
  const input = {
    common: inputs.varied(16_000, SEED),
    short: asTurns(make(few, SEED)),
    long: asTurns(make(many, SEED)),
  }
  return () => input
}

/** A message is one turn. */
function asTurns(input) {
  return { turns: [input.ids], ...input }
}

function contendersOf({ request = {}, citations, isById }) {
  const contender = turns({ tokenTable, request, ...(citations && { citations }) }, isById)
  return [on('common', push), on('short', contender), on('long', contender)]
}

function turns(options, isById = false) {
  const checked = new WeakSet()
  return {
    name: 'turns',
    run: (input) => runTurns(input, options, isById),
    check({ count, last }, input) {
      expect(['response.completed', 'response.incomplete'].includes(last.type), `ended with ${last.type}`)
      expect(last.sequence_number === count - 1, 'not as many events as were numbered')
      if (checked.has(input)) return
      checked.add(input)
      const events = []
      runTurns(input, options, isById, (event) => events.push(event))
      const violations = checkEvents(events).filter(({ fault }) => fault === 'server')
      expect(events.length === count && violations.length === 0, JSON.stringify(violations[0]))
      if (input.text === undefined) return
      const [{ content }] = last.response.output
      expect(content[0].text === input.text, 'not the text of the tokens')
    },
  }
}

/** @param {boolean} isById whether each item gets a result by its id at last, the last one first */
function runTurns({ turns }, options, isById, onEvent) {
  const translator = new Translator(options)
  const ring = new Array(1024).fill(null)
  let count = 0
  const itemIds = []
  const take = (events) => {
    if (isById) for (const { type, item } of events) if (type === 'response.output_item.added') itemIds.push(item.id)
    ring[count & 1023] = events
    count += events.length
    if (onEvent !== undefined) events.forEach(onEvent)
  }
  for (const chunks of turns) {
    translator.beginTurn()
    for (let at = 0; at < chunks.length; at++) take(translator.push(chunks[at]))
  }
  for (const itemId of itemIds.reverse()) take(translator.toolResult({ itemId, output: 'found' }))
  const events = translator.end('stop')
  take(events)
  return { ring, count, last: events.at(-1) }
}

async function rowsOf(one, short, compare) {
  const times = await compare(contendersOf(one), inputsOf(one, short))
  const ns = (name) => times.ns(name).toFixed(0)
  const note = `${ns('long')} ns/token, the common case ${ns('common')}`
  const growth = times.ratio('long', 'short')
  return [
    { figure: one.figure, value: times.ratio('long', 'common'), unit: 'x', atMost: SLOWEST, note },
    { figure: '  as it grows', value: growth, unit: 'x', atMost: LINEAR, note: `${ns('short')} ns/token when short` },
  ]
}
