// What translation costs beside the official parser's parsing alone. Ratios of one run; see bench/README.md.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Bench } from 'tinybench'
import { loadTokenTable, Translator } from '../dist/index.js'

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false }, tokens: { type: 'string' } } })
const count = Number(values.tokens ?? 20_000)

const tokenTable = await loadTokenTable()
const stream = message(count)
const official = await loadOfficial()
check()

const bench = new Bench({ time: 1000, warmupTime: 200 })
bench
  .add('translate, one token per push', () => translateOneByOne())
  .add('translate, 16 tokens per push', () => translateChunks(16))
  .add('official parser, process + lastContentDelta', () => parseOfficially())
await bench.run()
report()

/** One answer of varied tokens that are text on their own, the same for every run. */
function message(length) {
  const ids = [200005, 17196, 200008]
  let state = 0xc0ffee
  while (ids.length < length - 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    const id = state % 199998
    if (tokenTable.text(id) !== undefined) ids.push(id)
  }
  return [...ids, 200002]
}

function translateOneByOne() {
  const translator = new Translator({ tokenTable })
  let events = 0
  for (const id of stream) events += translator.push(id).length
  events += translator.end().length
  return { events, text: translator.response.output[0].content[0].text }
}

function translateChunks(size) {
  const translator = new Translator({ tokenTable })
  for (let at = 0; at < stream.length; at += size) translator.push(stream.slice(at, at + size))
  translator.end()
  return translator.response.output[0].content[0].text
}

function parseOfficially() {
  const parser = official()
  let length = 0
  for (const id of stream) {
    parser.process(id)
    length += parser.lastContentDelta.length
  }
  parser.free()
  return length
}

/** A wrong result fails the run: what is timed has to be right. */
function check() {
  const text = stream
    .slice(3, -1)
    .map((id) => tokenTable.text(id))
    .join('')
  const one = translateOneByOne()
  if (one.text !== text || one.events < stream.length) throw new Error('translate: the answer is not the tokens')
  if (translateChunks(16) !== text) throw new Error('translate in chunks: the answer is not the tokens')
  if (parseOfficially() !== text.length) throw new Error('official parser: the answer is not the tokens')
}

function report() {
  const rows = bench.tasks.map(({ name, result }) => ({
    name,
    nsPerToken: Math.round((result.latency.p50 * 1e6) / stream.length),
  }))
  const base = rows.at(-1).nsPerToken
  for (const row of rows) row.timesOfficial = Number((base / row.nsPerToken).toFixed(2))
  if (values.json) console.log(JSON.stringify({ tokens: stream.length, node: process.version, rows }, null, 2))
  else {
    console.log(`one message of ${stream.length} tokens, Node ${process.version}, medians`)
    for (const { name, nsPerToken, timesOfficial } of rows) {
      console.log(
        `${name.padEnd(46)} ${String(nsPerToken).padStart(6)} ns/token  ${timesOfficial}x the official parser's speed`,
      )
    }
  }
}

/** The official parser's wasm build, loaded from the installed packages alone: it asks for its files with fetch. */
async function loadOfficial() {
  const vocabulary = 'http://harmony.invalid/'
  const before = globalThis.fetch
  globalThis.fetch = async (input, init) => {
    const url = String(input?.url ?? input)
    if (url.startsWith('file:')) {
      return new Response(await readFile(fileURLToPath(url)), { headers: { 'content-type': 'application/wasm' } })
    }
    if (!url.startsWith(vocabulary)) return before(input, init)
    const path = createRequire(import.meta.url).resolve('gpt-tokenizer/data/o200k_base.tiktoken')
    // The package parses the response's url, which is empty in one made by hand.
    return Object.defineProperty(new Response(await readFile(path)), 'url', { value: url })
  }
  try {
    const harmony = await import('openai-harmony')
    const encoding = await harmony.load_harmony_encoding('HarmonyGptOss', vocabulary)
    return () => new harmony.JsStreamableParser(encoding, 'assistant')
  } finally {
    globalThis.fetch = before
  }
}
