import { createChatEngine } from '../../dist/engines/sources/chat.js'
import { createVllmEngine } from '../../dist/engines/sources/vllm.js'
import { SEED } from '../inputs.mjs'
import { inputs, tokenTable } from '../library.mjs'
import { expect, median } from '../measure.mjs'

/** Tokens of a prompt, as an agent's: its instructions and some turns. */
const PROMPT = 8_000

/** @type {import('../target.mjs').Target} */
export default {
  name: 'chat',
  measures:
    'the engine of Chat Completions on chunks of a server without a model, beside the engine of vLLM on the same tokens',
  target: "no more processor time a token than vLLM's engine; 2 ms to the first delta",

  async run({ compare, size, rounds }) {
    const times = await compare([chat, vllm], (round) => framed(inputs.varied(size(20_000, 200), SEED + round)))
    const first = {}
    for (const contender of [chat, vllm]) first[contender.name] = await firstTokens(contender, size(50 * rounds, 3))
    const note = `${times.ns('chat').toFixed(0)} ns/token, vLLM's engine ${times.ns('vllm').toFixed(0)}`
    return [
      {
        figure: "processor time of a token, beside vLLM's engine",
        value: times.ratio('chat', 'vllm'),
        unit: 'x',
        atMost: 1,
        note,
      },
      {
        figure: `to the first delta, after a prompt of ${PROMPT} tokens`,
        value: first.chat,
        unit: 'ms',
        atMost: 2,
        note: `vLLM's engine ${first.vllm.toFixed(2)} ms`,
      },
    ]
  },
}

const url = 'http://engine.invalid'
const encoder = new TextEncoder()
const frame = (data) => encoder.encode(`data: ${JSON.stringify(data)}\n\n`)
const about = { id: 'cmpl-0123456789abcdef', created: 1_700_000_000, model: 'openai/gpt-oss-20b' }

/** The input with its frames, as each server sends a token. */
function framed(input) {
  const texts = input.ids.map((id) => tokenTable.text(id) ?? '')
  const chat = texts.map((content) =>
    frame({
      ...about,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: { content }, logprobs: null, finish_reason: null }],
    }),
  )
  const vllm = input.ids.map((id, at) =>
    frame({
      ...{ ...about, object: 'text_completion' },
      choices: [{ index: 0, text: texts[at], logprobs: null, finish_reason: null, stop_reason: null, token_ids: [id] }],
    }),
  )
  chat.push(frame({ ...about, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }))
  vllm.push(frame({ ...about, choices: [{ index: 0, text: '', token_ids: [], finish_reason: 'stop' }] }))
  return { ...input, texts, chat, vllm }
}

function contender(name, create) {
  let frames = []
  const fetch = async () => {
    const body = new ReadableStream({
      start(controller) {
        for (const one of frames) controller.enqueue(one)
        controller.close()
      },
    })
    return new Response(body)
  }
  const engine = create(fetch)
  return {
    name,
    engine,
    play(input) {
      frames = input[name]
    },
    async run(input) {
      frames = input[name]
      let count = 0
      for await (const tokens of engine.generate(START, { maxTokens: 1_000_000 })) count += tokens.length
      return count
    },
    check: (count, { ids }) => expect(count >= ids.length, `${name}: ${count} tokens of ${ids.length}`),
    units: ({ ids }) => ids.length,
  }
}

const START = [200006, 1428, 200008, 12194, 200007, 200006, 173781]
const chat = contender('chat', (fetch) => createChatEngine({ url, model: 'm', fetch, contextSize: 2_000_000 }))
const vllm = contender('vllm', (fetch) => createVllmEngine({ url, checkModel: false, fetch, contextSize: 2_000_000 }))

/** The time from a call to its first token, in milliseconds, the median. */
async function firstTokens({ engine, play }, count) {
  play(framed(inputs.varied(4, SEED)))
  const prompt = [
    200006,
    1428,
    200008,
    ...inputs.varied(PROMPT, SEED).ids.filter((id) => id < 199998),
    200007,
    200006,
    173781,
  ]
  const times = []
  for (let nth = 0; nth < count; nth++) {
    const stream = engine.generate(prompt, { maxTokens: 64 })
    const before = performance.now()
    await stream.next()
    times.push(performance.now() - before)
    await stream.return()
  }
  return median(times)
}
