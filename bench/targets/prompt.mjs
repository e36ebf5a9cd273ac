import { promptMessages, renderMessages, renderPrompt } from '../../dist/endpoint/prompt/index.js'
import { createRandom, SEED } from '../inputs.mjs'
import { inputs, tokenTable } from '../library.mjs'
import { expect, on } from '../measure.mjs'
import { loadOfficialRenderer } from '../official-parser.mjs'

const LINEAR = 1.5
const dated = { date: '2026-01-31' }
const options = { tokenTable, ...dated }

/** @type {import('../target.mjs').Target} */
export default {
  name: 'prompt',
  measures:
    'a request to the ids of its prompt, beside the official renderer (wasm) with messages that it only renders',
  target: `4 times its pace on 100,000 items; time per item, byte and tool within ${LINEAR} times as they grow`,

  async run(measure) {
    const official = await officialRenderer()
    return [
      ...(await everydayRows(measure, official)),
      ...(await conversationRows(measure, official)),
      ...(await textRows(measure, official)),
      ...(await toolRows(measure)),
    ]
  },
}

/** An agent's input at each step: some items and tools. */
async function everydayRows({ compare, size }, official) {
  const input = (round) => {
    const conversation = inputs.conversation(size(20, 8), SEED + round)
    const { request } = conversation
    const tools = [...request.tools, ...functions(size(20, 4))]
    return asBoth({ ...conversation, request: { ...request, tools } })
  }
  const times = await compare([render, official], input)
  return [rowBeside('a request of 20 items and 20 tools', times, 'render', 'official')]
}

async function conversationRows({ compare, glance, size }, official) {
  const counts = { '1,000': size(1_000, 20), '10,000': size(10_000, 60), '100,000': size(100_000, 200) }
  const conversations = (round) => mapValues(counts, (count) => inputs.conversation(count, SEED + round))
  const names = Object.keys(counts)
  const growth = await compare(
    names.map((name) => on(name, render)),
    conversations,
  )
  const times = await glance([on('100,000', render), on('official', official)], (round) =>
    besideOfficial(conversations(round)['100,000'], '100,000'),
  )
  return [
    { ...rowBeside('100,000 items, 10 MB', times, '100,000', 'official'), atLeast: 4 },
    ...growthRows('item', names, growth),
  ]
}

async function textRows({ glance, size }, official) {
  const rows = []
  for (const [what, { textOf, longest, atMost }] of Object.entries(TEXTS)) {
    const lengths = { '100 kB': size(100_000, 300), [longest]: size(longest === '10 MB' ? 10_000_000 : 1_000_000, 900) }
    const names = Object.keys(lengths)
    const messages = (round) =>
      mapValues(lengths, (length) => ({ request: { input: textOf(length, SEED + round) }, units: length }))
    const growth = await glance(
      names.map((name) => on(name, render)),
      messages,
    )
    // The official renderer takes time by the square of white space, and fails at a megabyte.
    if (what === 'prose') {
      const times = await glance([on(longest, render), on('official', official)], (round) =>
        besideOfficial(messages(round)[longest], longest),
      )
      rows.push(rowBeside('one message of 10 MB', times, longest, 'official'))
    }
    rows.push(...growthRows(`byte of ${what}`, names, growth, atMost))
  }
  return rows
}

/** One message of so many characters. */
const TEXTS = {
  prose: { textOf: (length, seed) => inputs.prose(length, seed).text, longest: '10 MB', atMost: LINEAR },
  'white space': { textOf: (length) => ' '.repeat(length), longest: '10 MB', atMost: LINEAR },
  'one word': { textOf: wordOf, longest: '1 MB', atMost: LINEAR },
}

function wordOf(length, seed) {
  const random = createRandom(seed)
  return Array.from({ length }, () => String.fromCharCode(97 + random(26))).join('')
}

async function toolRows({ glance, size }) {
  const counts = { '1,000': size(1_000, 10), '100,000': size(100_000, 40) }
  const request = mapValues(counts, (count) => ({ request: { input: 'Hi', tools: functions(count) }, units: count }))
  const names = Object.keys(counts)
  const times = await glance(
    names.map((name) => on(name, render)),
    () => request,
  )
  return growthRows('tool', names, times)
}

function functions(count) {
  const properties = { path: { type: 'string', description: 'Of the file' }, line: { type: 'integer' } }
  const parameters = { type: 'object', properties, required: ['path'] }
  return Array.from({ length: count }, (_, at) => ({
    type: 'function',
    name: `read_${at}`,
    description: 'Reads a file.',
    parameters,
  }))
}

/** @type {import('../measure.mjs').Contender<any, ReturnType<typeof renderPrompt>>} */
const render = {
  name: 'render',
  run: ({ request }) => renderPrompt(request, options),
  check({ tokens, messages }, input) {
    const said = promptMessages(input.request, dated)
    expect(messages.length === said.length, 'not a message for each')
    for (const [at, { start, end }] of messages.entries()) {
      const text = tokens.subarray(tokens.indexOf(MESSAGE, start) + 1, end - 1)
      expect(textOf(text) === said[at].content.toWellFormed(), 'not the text of a message')
    }
    // The recipient of a call stands where gpt-oss mostly writes it, and not where the official renderer does.
    const inItsOrder = said.map(({ recipientAfter: _, ...message }) => message)
    const { tokens: rendered } = renderMessages(inItsOrder, { tokenTable })
    const next = tokens.subarray(messages.at(-1).end)
    const all = new Uint32Array(rendered.length + next.length)
    all.set(rendered)
    all.set(next, rendered.length)
    sameAs(input, all)
  },
}

const MESSAGE = 200008

/** @returns {Promise<import('../measure.mjs').Contender<any, Uint32Array>>} */
async function officialRenderer() {
  const renderOfficial = await loadOfficialRenderer()
  return {
    name: 'official',
    run: ({ messages }) => renderOfficial(messages),
    check: (tokens, input) => sameAs(input, tokens),
  }
}

/** Holds the ids of all who render an input against each other. */
function sameAs(input, tokens) {
  input.tokens ??= tokens
  const isSame = input.tokens.length === tokens.length && input.tokens.every((id, at) => id === tokens[at])
  expect(isSame, 'not the ids of the official renderer')
}

function textOf(ids) {
  return Buffer.concat(Array.from(ids, (id) => tokenTable.bytes(id))).toString()
}

/** The input with its messages as the official renderer takes them. */
function asBoth(input) {
  const messages = promptMessages(input.request, dated).map(({ contentType, constrained, item, ...message }) => ({
    ...message,
    ...(contentType && { content_type: constrained ? `<|constrain|>${contentType}` : contentType }),
  }))
  return { ...input, messages }
}

/** One input for both, who check each other. */
function besideOfficial(input, name) {
  const both = asBoth(input)
  return { [name]: both, official: both }
}

function rowBeside(figure, times, ours, official) {
  const note = `${Math.round(times.ns(ours))} ns each, official ${Math.round(times.ns(official))}`
  return { figure: `${figure}: pace / the official renderer's`, value: times.ratio(official, ours), unit: 'x', note }
}

function growthRows(unit, [first, ...others], times, atMost = LINEAR) {
  return others.map((name) => ({
    figure: `time per ${unit}: of ${name} / of ${first}`,
    value: times.ratio(name, first),
    unit: 'x',
    atMost,
    note: `${times.ns(name).toFixed(0)} ns, beside ${times.ns(first).toFixed(0)}`,
  }))
}

function mapValues(object, map) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]))
}
