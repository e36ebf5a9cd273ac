import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from '../measure.mjs'
import { compile, folder, loadGrammar, now, sampleOf } from '../schema-sample.mjs'

/**
 * How many processes compile the sample, one after the other: each does the same work from cold. The targets hold for all
 * of them together. The least time of a slice leaves out work that falls elsewhere in each process, such as a collection.
 */
const PROCESSES = 5
/** The number of schemas that are measured, in the order of their names' digests. */
const SAMPLE = Number(process.env['JSON_SCHEMA_SAMPLE'] ?? 400)
const MAX_TEXT_LENGTH = 20_000

/**
 * MaskBench's published figures of llguidance for its 11,306 schemas: maskbench/README.md of
 * guidance-ai/jsonschemabench, as of 2025-03-27, on an Azure NC96ads_A100_v4. Milliseconds to the first mask,
 * microseconds for one mask.
 */
const PUBLISHED = {
  compile: { p50: 1.037, p90: 3.03, p99: 17.988, max: 229.367 },
  mask: { p50: 46, p90: 77, p99: 533, max: 33_055 },
}
const QUANTILES = { p50: 0.5, p90: 0.9, p99: 0.99, max: 1 }

/** @type {import('../target.mjs').Target} */
export default {
  name: 'schemas',
  measures:
    'compiling each schema of a sample once, following values in its grammar, and how long its taught form is, by quantile over the schemas',
  target: 'compiled within 3 ms at p50 and 40 at p99, in slices of at most 10',

  async run({ size }) {
    const grammar = await loadGrammar()
    const count = size(SAMPLE, 5)
    const cases = sampleOf(count)
    const processes = await servedTimes(count, size(PROCESSES, 1))
    const served = processes.flat()
    const least = leastOf(processes)
    const longest = ({ slices }) => Math.max(...slices)
    const whole = ({ slices }) => sum(slices)
    const times = { compile: [], slice: [], again: [], matcher: [], character: [] }
    const lengths = cases.map(({ schema }) => grammar.typescriptOf(schema).length / JSON.stringify(schema).length)
    const counts = { refused: 0, relaxed: 0, values: 0, wrong: 0 }
    /** Schemas without a relaxed keyword, by whether all their values are judged as labelled. */
    const held = { right: 0, reordered: 0, accepting: 0, declining: 0 }
    for (const { schema, tests } of cases) {
      const compiled = compile(grammar, schema)
      if (compiled === undefined) {
        counts.refused += 1
        continue
      }
      const { gbnf, relaxed } = compiled
      times.compile.push(sum(compiled.slices))
      times.slice.push(Math.max(...compiled.slices))
      times.again.push(sum(compile(grammar, schema).slices))
      if (relaxed.length > 0) counts.relaxed += 1
      const began = now()
      const start = grammar.createMatcher(gbnf)
      times.matcher.push(now() - began)
      const { characters: texts, ms: took, wrong } = follow(start, tests)
      counts.values += tests.length
      if (relaxed.length === 0) {
        counts.wrong += wrong.length
        held[verdictOn(start, wrong)] += 1
      }
      if (texts > 0) times.character.push((took * 1000) / texts)
    }
    // Real schemas have values whose properties come in another order, which a grammar does not allow.
    expect(
      folder !== undefined || counts.wrong + counts.refused === 0,
      'a generated schema is refused, or its value is',
    )
    const from = folder === undefined ? 'generated' : 'of JSON_SCHEMA_BENCH'
    const published = (what, quantile) => `llguidance, published: ${PUBLISHED[what][quantile].toLocaleString('en-US')}`
    return [
      { figure: `schemas, ${from}`, value: cases.length, unit: '', note: noteOf(counts) },
      { figure: 'held whole, all values judged right', value: share(held.right, cases), unit: '%', atLeast: 90 },
      { figure: 'held whole, but for the order of properties', value: share(held.reordered, cases), unit: '%' },
      { figure: 'held whole, a right value refused', value: share(held.declining, cases), unit: '%' },
      { figure: 'held whole, a wrong value accepted', value: share(held.accepting, cases), unit: '%' },
      ...rows(
        'compile and write',
        'ms',
        served.map(whole),
        { p50: 3, p99: 40 },
        (at) => `${published('compile', at)} ms to the first mask`,
      ),
      // The code is cold, and the rules of formats are made.
      { figure: 'compile and write, the first schema of the process', value: sum(least[0]?.slices ?? []), unit: 'ms' },
      ...rows('longest slice of that', 'ms', served.map(longest), { max: 10 }),
      // No target for these two: they depend on the number of cores, and on what else the machine does.
      ...rows(
        'compile and write, all threads',
        'ms',
        served.map(({ all }) => all),
      ),
      ...rows(
        'longest slice by the clock',
        'ms',
        served.map(({ elapsed }) => Math.max(...elapsed)),
      ),
      ...rows('compile and write, least of the processes', 'ms', least.map(whole)),
      ...rows('longest slice of that, least of the processes', 'ms', least.map(longest)),
      // No target: most of it is V8's time, which a server spends in other threads. Optimizing one function takes up to
      // 18 ms.
      ...rows('compile and write, V8 in the same thread', 'ms', times.compile),
      ...rows('longest slice of that, V8 in the same thread', 'ms', times.slice),
      // A server caches compiled schemas: this is the time of a schema with warm code and formats.
      ...rows('compile and write the same again', 'ms', times.again),
      ...rows('read again for matching', 'ms', times.matcher),
      ...rows(
        'follow a character',
        'µs',
        times.character,
        {},
        (at) => `${published('mask', at)} µs for the mask of a token`,
      ),
      ...rows('taught form, to compact JSON', '', lengths, { p50: 1, p99: 1.2 }),
    ]
  },
}

/**
 * Returns the times of each schema that is not refused, for each process, as in a server: with V8's own settings, its
 * optimizing compiler and its collector work in other threads, which do not count.
 */
async function servedTimes(count, processes) {
  const program = fileURLToPath(new URL('../programs/compile-schemas.mjs', import.meta.url))
  const runs = []
  for (let run = 0; run < processes; run++) {
    const { stdout } = await promisify(execFile)(process.execPath, [program, String(count)], { maxBuffer: 2 ** 26 })
    runs.push(JSON.parse(stdout).filter((times) => times !== null))
  }
  return runs
}

function leastOf([first, ...others]) {
  return first.map(({ slices }, schema) => ({
    slices: slices.map((ms, slice) => Math.min(ms, ...others.map((run) => run[schema].slices[slice]))),
  }))
}

function sum(values) {
  return values.reduce((all, value) => all + value, 0)
}

function noteOf({ refused, relaxed, values, wrong }) {
  const judged = folder === undefined ? '' : `, ${wrong} of their values are judged otherwise`
  return `${refused} refused, ${relaxed} relaxed, ${values} values${judged}`
}

function share(count, cases) {
  return (100 * count) / cases.length
}

/** Returns how a grammar is wrong, by the values that it judges differently from their labels. */
function verdictOn(start, wrong) {
  if (wrong.length === 0) return 'right'
  if (wrong.some(({ valid }) => !valid)) return 'accepting'
  return wrong.every(({ data }) => afterAnyOrder(start, data)?.isComplete === true) ? 'reordered' : 'declining'
}

/** The maximum number of properties that are tried for one value. */
const MAX_TRIED = 20_000

/**
 * The state after a value whose properties come in an order that the grammar allows. Undefined if there is none.
 *
 * @param tried - how many properties were tried so far
 */
function afterAnyOrder(state, value, tried = { count: 0 }) {
  if (typeof value !== 'object' || value === null) return state.accept(JSON.stringify(value))
  if (!Array.isArray(value)) return afterMembers(state.accept('{'), Object.entries(value), '', tried)
  let next = state.accept('[')
  for (const [index, item] of value.entries()) {
    const before = index === 0 ? next : next?.accept(',')
    next = before && afterAnyOrder(before, item, tried)
  }
  return next?.accept(']')
}

function afterMembers(state, left, comma, tried) {
  if (left.length === 0) return state?.accept('}')
  const named = left.map((member) => ({ member, at: state?.accept(`${comma}${JSON.stringify(member[0])}:`) }))
  const open = named.filter(({ at }) => at !== undefined)
  tried.count += open.length
  if (tried.count > MAX_TRIED) return undefined
  const ways = open.map(({ member, at }) => ({ member, after: afterAnyOrder(at, member[1], tried) }))
  // The one after which most of the others still may come is the first one, if any is.
  const most = ({ after }) => open.filter(({ member }) => after.accept(`,${JSON.stringify(member[0])}:`)).length
  const able = ways.filter(({ after }) => after !== undefined).map((way) => ({ ...way, most: most(way) }))
  for (const { member, after } of able.sort((one, other) => other.most - one.most)) {
    const rest = left.filter((each) => each !== member)
    const end = afterMembers(after, rest, ',', tried)
    if (end !== undefined) return end
  }
  return undefined
}

/** How many characters were followed, the milliseconds that it took, and the values that were judged wrong. */
function follow(start, tests) {
  let [characters, ms] = [0, 0]
  const wrong = []
  for (const { data, valid } of tests) {
    const text = JSON.stringify(data)
    if (text.length > MAX_TEXT_LENGTH) continue
    const began = now()
    const isAccepted = start.accept(text)?.isComplete === true
    const took = now() - began
    if (isAccepted !== valid) wrong.push({ data, valid })
    // One that is refused was not followed to its end.
    if (!isAccepted) continue
    ms += took
    characters += text.length
  }
  return { characters, ms, wrong }
}

function rows(figure, unit, values, targets = {}, noteOf = () => undefined) {
  const sorted = [...values].sort((one, other) => one - other)
  return Object.entries(QUANTILES).map(([name, share]) => {
    const note = noteOf(name)
    return {
      figure: `${figure}, ${name}`,
      value: sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0,
      unit,
      ...(name in targets && { atMost: targets[name] }),
      ...(note !== undefined && { note }),
    }
  })
}
