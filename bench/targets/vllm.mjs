import { spawnSync } from 'node:child_process'
import { renderPrompt } from '../../dist/endpoint/prompt/index.js'
import { PROGRAM, processorMs, startServe } from '../command.mjs'
import { tokenTable } from '../library.mjs'
import { expect, median } from '../measure.mjs'
import { startProgram } from '../start-program.mjs'

/** A vLLM with a gpt-oss, started with its grammar backend named, so that our questions change nothing for its own endpoint. */
const URL_OF_VLLM = process.env.VLLM_URL?.replace(/\/(?:v1)?\/*$/, '')

/** The question: its answer has some sentences, of which this many tokens are read. */
const QUESTION = process.env.VLLM_QUESTION ?? 'Tell me the names of all the months.'
const TOKENS = 64

/** @type {import('../target.mjs').Target} */
export default {
  name: 'vllm',
  measures:
    "a conversation on vLLM's own /v1/responses and on ours, beside the same prompt on its /v1/completions; and probe of both",
  target:
    "whole answers: 3 % above /v1/completions alone and at 64, at 20 no more than vLLM's own; 3 ms of our processor time",

  async run({ size, rounds }) {
    if (URL_OF_VLLM === undefined) return { skipped: 'no server: VLLM_URL names a vLLM with a gpt-oss' }
    const model = await servedModel()
    const ours = await startServe(URL_OF_VLLM)
    const relay = await startProgram('relay', URL_OF_VLLM)
    try {
      const { contenders, promptTokens } = contendersOf(model, {
        ours: ours.url,
        relay: `http://127.0.0.1:${relay.port}`,
      })
      await expectSamePrompt(contenders, promptTokens)
      const pids = { ours: ours.child.pid, relay: relay.child.pid }
      const rows = []
      // Before its code is compiled, an answer takes three times as long.
      for (let done = 0; done < size(300, 0); done += 20) {
        await Promise.all(Array.from({ length: 20 }, done % 60 === 0 ? contenders.relay : contenders.ours))
      }
      for (const count of size([1, 20, 64], [1])) {
        // More answers if each is alone, because its time is short.
        const repeats = size(count === 1 ? 5 : 1, 1)
        const warm = size(2, 1)
        const samples = { raw: [], own: [], ours: [], relay: [] }
        const processor = { ours: [], relay: [] }
        for (let round = -warm; round < rounds; round++) {
          const names = Object.keys(samples)
          for (let turn = 0; turn < names.length; turn++) {
            const name = names[(turn + round + warm) % names.length]
            const before = pids[name] && processorMs(pids[name])
            const times = []
            for (let repeat = 0; repeat < repeats; repeat++) {
              times.push(...(await Promise.all(Array.from({ length: count }, () => contenders[name]()))))
            }
            if (round < 0) continue
            samples[name].push({
              whole: median(times.map(({ whole }) => whole)),
              first: median(times.map(({ first }) => first)),
            })
            if (pids[name]) processor[name].push((processorMs(pids[name]) - before) / times.length)
          }
        }
        rows.push(...rowsOf(count, samples, processor))
      }
      const probes = () => [probed("vLLM's own", URL_OF_VLLM), { ...probed('ours', ours.url), atMost: 0 }]
      // `probe` takes minutes.
      return [...rows, ...size(probes, () => [])()]
    } finally {
      ours.child.kill()
      relay.child.kill()
    }
  },
}

function rowsOf(count, samples, processor) {
  const more = (name, of) => (median(samples[name].map((one, at) => one[of] / samples.raw[at][of])) - 1) * 100
  const ms = (name, of) => median(samples[name].map((one) => one[of])).toFixed(0)
  const at = count === 1 ? 'alone' : `${count} at once`
  const own = more('own', 'whole')
  const note = (of) => `raw ${ms('raw', of)} ms, vLLM's own ${ms('own', of)}, ours ${ms('ours', of)}`
  return [
    { figure: `${at}: whole answer, vLLM's own`, value: own, unit: '%', note: note('whole') },
    {
      figure: `${at}: whole answer, ours`,
      value: more('ours', 'whole'),
      unit: '%',
      atMost: count === 20 ? Number(own.toFixed(1)) : 3,
    },
    { figure: `${at}: first delta, vLLM's own`, value: more('own', 'first'), unit: '%', note: note('first') },
    { figure: `${at}: first delta, ours`, value: more('ours', 'first'), unit: '%' },
    {
      figure: `${at}: processor time of ours, an answer`,
      value: median(processor.ours),
      unit: 'ms',
      atMost: 3,
      note: `a bare relay of the engine's bytes ${median(processor.relay).toFixed(1)} ms`,
    },
  ]
}

/** The scenarios of `probe` that fail, as a user sees them. */
function probed(name, url) {
  const args = [PROGRAM, 'probe', url, '--json']
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  expect(stdout !== '', `probe ${url}: ${stderr}`)
  const { pass, fail, inconclusive } = JSON.parse(stdout).summary
  const note = `${pass} pass, ${fail} fail, ${inconclusive} inconclusive`
  return { figure: `scenarios of probe that fail, ${name}`, value: fail, unit: '', note }
}

/** What follows a header, in the chunk that ends it or in a later one: a busy server sends several tokens in one. */
const FIRST_WORD = /<\|message\|>(?:[^"<]|"[\s\S]*?"text":\s*"[^"<])/

/**
 * Each client sends one request, reads to the end, and returns the times of the first word and of the end, in
 * milliseconds, and how many tokens its prompt had.
 */
function contendersOf(model, urls) {
  const request = { model, input: QUESTION, max_output_tokens: TOKENS, temperature: 0, store: false }
  const date = new Date().toISOString().slice(0, 10)
  const prompt = [...renderPrompt(request, { tokenTable, date }).tokens]
  const sampling = { temperature: 0, max_tokens: TOKENS, stop_token_ids: [200002, 200012, 199999] }
  const raw = { model, prompt, ...sampling, skip_special_tokens: false, return_token_ids: true, stream: true }
  const usage = { stream_options: { include_usage: true } }
  const words = /"type":\s*"response\.(?:output_text|reasoning_text)\.delta"/
  const contenders = {
    raw: () => timed(`${URL_OF_VLLM}/v1/completions`, { ...raw, ...usage }, FIRST_WORD, /\[DONE\]/),
    relay: () => timed(`${urls.relay}/v1/completions`, { ...raw, ...usage }, FIRST_WORD, /\[DONE\]/),
    own: () =>
      timed(`${URL_OF_VLLM}/v1/responses`, { ...request, stream: true }, words, /response\.(?:completed|incomplete)/),
    ours: () =>
      timed(`${urls.ours}/v1/responses`, { ...request, stream: true }, words, /response\.(?:completed|incomplete)/),
  }
  return { contenders, promptTokens: prompt.length }
}

/** Another prompt would be another conversation: a longer one takes longer, and may be answered in other words. */
async function expectSamePrompt(contenders, promptTokens) {
  for (const [name, ask] of Object.entries(contenders)) {
    const { read } = await ask()
    expect(read === promptTokens, `${name}: expected a prompt of ${promptTokens} tokens, got ${read}`)
  }
}

async function timed(url, body, firstWord, end) {
  const begun = performance.now()
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(answer.status === 200, `${url}: ${answer.status} ${answer.status === 200 ? '' : await answer.text()}`)
  const utf8 = new TextDecoder()
  let text = ''
  let first
  for await (const bytes of answer.body) {
    text += utf8.decode(bytes, { stream: true })
    if (first === undefined && firstWord.test(text)) first = performance.now() - begun
  }
  expect(first !== undefined && end.test(text), `${url}: expected a whole answer, got ${text.slice(-300)}`)
  const whole = performance.now() - begun
  const [, read] = /"(?:input|prompt)_tokens":\s*(\d+)/.exec(text) ?? []
  return { first, whole, read: Number(read) }
}

async function servedModel() {
  const { data } = await (await fetch(`${URL_OF_VLLM}/v1/models`)).json()
  return data[0].id
}
