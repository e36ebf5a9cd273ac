import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cpuUsage } from 'node:process'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { SEED } from '../inputs.mjs'
import { expect } from '../measure.mjs'
import { schemaCases } from '../schema-inputs.mjs'

/** A folder of schemas, one a file: as MaskBench has them, with `tests`, or alone. */
const folder = process.env['JSON_SCHEMA_BENCH']
/** The number of schemas that are measured, in the order of their names' digests. */
const SAMPLE = Number(process.env['JSON_SCHEMA_SAMPLE'] ?? 400)
const LONGEST_TEXT = 20_000

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
    const cases = folder === undefined ? generated(size(SAMPLE, 5)) : fromFolder(folder, size(SAMPLE, 5))
    const times = { compile: [], slice: [], again: [], matcher: [], character: [] }
    const lengths = cases.map(({ schema }) => grammar.typescriptOf(schema).length / JSON.stringify(schema).length)
    const count = { refused: 0, relaxed: 0, values: 0, wrong: 0 }
    /** Schemas without a relaxed keyword, by whether all their values are judged as labelled. */
    const held = { right: 0, reordered: 0, accepting: 0, declining: 0 }
    for (const { schema, tests } of cases) {
      const compiled = compile(grammar, schema)
      if (compiled === undefined) {
        count.refused += 1
        continue
      }
      const { gbnf, relaxed } = compiled
      times.compile.push(compiled.ms)
      times.slice.push(compiled.longest)
      times.again.push(compile(grammar, schema).ms)
      if (relaxed.length > 0) count.relaxed += 1
      const began = now()
      const start = grammar.createMatcher(gbnf)
      times.matcher.push(now() - began)
      const { characters: texts, ms: took, wrong } = follow(start, tests)
      count.values += tests.length
      if (relaxed.length === 0) {
        count.wrong += wrong.length
        held[verdictOn(start, wrong)] += 1
      }
      if (texts > 0) times.character.push((took * 1000) / texts)
    }
    // Real schemas have values whose properties come in another order, which a grammar does not allow.
    expect(folder !== undefined || count.wrong + count.refused === 0, 'a generated schema is refused, or its value is')
    const from = folder === undefined ? 'generated' : 'of JSON_SCHEMA_BENCH'
    const published = (what, quantile) => `llguidance, published: ${PUBLISHED[what][quantile].toLocaleString('en-US')}`
    return [
      { figure: `schemas, ${from}`, value: cases.length, unit: '', note: noteOf(count) },
      { figure: 'held whole, all values judged right', value: share(held.right, cases), unit: '%', atLeast: 90 },
      { figure: 'held whole, but for the order of properties', value: share(held.reordered, cases), unit: '%' },
      { figure: 'held whole, a right value refused', value: share(held.declining, cases), unit: '%' },
      { figure: 'held whole, a wrong value accepted', value: share(held.accepting, cases), unit: '%' },
      ...rows(
        'compile and write',
        'ms',
        times.compile,
        { p50: 3, p99: 40 },
        (at) => `${published('compile', at)} ms to the first mask`,
      ),
      // The code is cold, and the rules of formats are made.
      { figure: 'compile and write, the first schema of the process', value: times.compile[0] ?? 0, unit: 'ms' },
      ...rows('longest slice of that', 'ms', times.slice, { max: 10 }),
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

function noteOf({ refused, relaxed, values, wrong }) {
  const judged = folder === undefined ? '' : `, ${wrong} of their values are judged otherwise`
  return `${refused} refused, ${relaxed} relaxed, ${values} values${judged}`
}

/** The grammar's and the taught form's own code: no subpath of the package has it. */
async function loadGrammar() {
  const { outputFiles } = await build({
    stdin: {
      contents:
        "export * from './src/grammar/index.ts'; export { typescriptOf } from './src/prompt/schema/typescript.ts'",
      resolveDir: fileURLToPath(new URL('../..', import.meta.url)),
      loader: 'ts',
    },
    ...{ bundle: true, format: 'esm', platform: 'node', write: false },
  })
  return await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`)
}

function generated(count) {
  return schemaCases(count, SEED).map(({ schema, value }) => ({ schema, tests: [{ data: value, valid: true }] }))
}

function fromFolder(path, count) {
  const digest = (name) => createHash('md5').update(name).digest('hex')
  const names = readdirSync(path).filter((name) => name.endsWith('.json'))
  expect(names.length > 0, `JSON_SCHEMA_BENCH: expected a folder with .json files, got ${path}`)
  const sample = names.map((name) => [digest(name), name]).sort(([one], [other]) => (one < other ? -1 : 1))
  return sample.slice(0, count).map(([, name]) => {
    const content = JSON.parse(readFileSync(join(path, name), 'utf8'))
    const isCase = Array.isArray(content.tests) && 'schema' in content
    return isCase ? content : { schema: content, tests: [] }
  })
}

/** Undefined if the schema is refused. */
function compile({ compileSchema, writeGbnf, UnsupportedSchema }, schema) {
  let [ms, longest] = [0, 0]
  const drain = (slices) => {
    for (;;) {
      const began = now()
      const step = slices.next()
      const took = now() - began
      ms += took
      longest = Math.max(longest, took)
      if (step.done) return step.value
    }
  }
  try {
    const { grammar, shared, relaxed } = drain(compileSchema(schema))
    return { gbnf: drain(writeGbnf(grammar, shared)), relaxed, ms, longest }
  } catch (error) {
    if (error instanceof UnsupportedSchema) return undefined
    throw error
  }
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
const MOST_TRIED = 20_000

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
  if (tried.count > MOST_TRIED) return undefined
  const ways = open.map(({ member, at }) => ({ member, after: afterAnyOrder(at, member[1], tried) }))
  // Prefers the property after which most of the others are still allowed.
  const most = ({ after }) => open.filter(({ member }) => after.accept(`,${JSON.stringify(member[0])}:`)).length
  const able = ways.filter(({ after }) => after !== undefined).map((way) => ({ ...way, most: most(way) }))
  for (const { member, after } of able.sort((one, other) => other.most - one.most)) {
    const rest = left.filter((each) => each !== member)
    const end = afterMembers(after, rest, ',', tried)
    if (end !== undefined) return end
  }
  return undefined
}

/** The number of followed characters, the time in milliseconds, and the values that were judged wrong. */
function follow(start, tests) {
  let [characters, ms] = [0, 0]
  const wrong = []
  for (const { data, valid } of tests) {
    const text = JSON.stringify(data)
    if (text.length > LONGEST_TEXT) continue
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

/** Milliseconds of processor time. */
function now() {
  const { user, system } = cpuUsage()
  return (user + system) / 1000
}
