import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createChatEngine } from '../../../../src/engines/sources/chat.js'
import { errorOf } from '../../../support/error-of.js'
import { readTokens } from '../../../support/read-tokens.js'
import { cut, encodeHarmony } from '../../../support/tokens.js'
import { WEATHER } from './chunks.js'
import { showTokens } from './show.js'

const PROMPT = encodeHarmony('<|start|>user<|message|>Hi<|end|><|start|>assistant')
const captured = (name: string): Buffer => readFileSync(new URL(`./captured/${name}`, import.meta.url))

/** The turn of a captured stream, cut into pieces of these sizes. */
async function turnOf(name: string, sizes: readonly number[] = [], tools = [WEATHER]) {
  const pieces = cut(captured(name), sizes)
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces.shift()
      if (piece) controller.enqueue(piece)
      else controller.close()
    },
  })
  const fetch = async (): Promise<Response> => new Response(body)
  const engine = createChatEngine({ url: 'http://vllm.invalid', model: 'gpt-oss', preset: 'vllm', fetch })
  const { tokens, end } = await readTokens(engine.generate(PROMPT, { promptFields: { tools } }))
  return { text: showTokens(tokens as number[]), end }
}

test('an answer of vLLM is read, with its counts', async () => {
  const { text, end } = await turnOf('answer.sse')
  expect(text).toBe('[channel]final[message]Hello, world! How are you today?[return]')
  expect(end).toMatchObject({
    reason: 'stop',
    usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number) },
  })
})

test('a call of vLLM is read with its reasoning, wherever the bytes are cut', async () => {
  const whole = await turnOf('call.sse')
  expect(whole.text).toMatch(
    /^\[channel\]analysis\[message\].+\[end\]\[start\]assistant\[channel\]commentary to=functions\.get_weather \[constrain\]json\[message\]\{.*\}\[call\]$/s,
  )
  const { length } = captured('call.sse')
  for (let at = 1; at < length; at += 7) expect(await turnOf('call.sse', [at])).toEqual(whole)
})

test('a limit of vLLM leaves the turn open', async () => {
  const { text, end } = await turnOf('limit.sse')
  expect(end?.reason).toBe('max_output_tokens')
  expect(text).not.toMatch(/\[(return|call)\]$/)
})

test('a prompt that is too long for vLLM fails as such', async () => {
  const fetch = async (): Promise<Response> => new Response(String(captured('too-long.txt')), { status: 400 })
  const engine = createChatEngine({ url: 'http://vllm.invalid', model: 'gpt-oss', preset: 'vllm', fetch })
  expect(await errorOf(readTokens(engine.generate(PROMPT)))).toMatchObject({ code: 'context_length_exceeded' })
})

describe('llama-server', () => {
  const NEXT = '[end][start]assistant'
  const LIST = { recipient: 'functions.list_files', body: 'json' } as const
  const TIME = { recipient: 'functions.get_time', body: 'json' } as const

  test('an answer is read with its reasoning, and its counts', async () => {
    const { text, end } = await turnOf('llama-server/answer.sse')
    expect(text).toBe(
      `[channel]analysis[message]A spider is an arachnid. It has eight legs.${NEXT}[channel]final[message]A spider has **eight** legs.[return]`,
    )
    expect(end).toMatchObject({ reason: 'stop', usage: { cachedTokens: expect.any(Number) } })
  })

  test('text before a call is a preamble, wherever the bytes are cut', async () => {
    const whole = await turnOf('llama-server/call.sse', [], [LIST])
    expect(whole.text).toBe(
      `[channel]analysis[message]List the files.${NEXT}[channel]commentary[message]Let me have a look at your folder.${NEXT}[channel]commentary to=functions.list_files [constrain]json[message]{"path":"~"}[call]`,
    )
    const { length } = captured('llama-server/call.sse')
    for (let at = 1; at < length; at += 61) expect(await turnOf('llama-server/call.sse', [at], [LIST])).toEqual(whole)
  })

  test('arguments of white space alone are an object', async () => {
    const { text } = await turnOf('llama-server/empty-arguments.sse', [], [TIME])
    expect(text).toMatch(/to=functions\.get_time \[constrain\]json\[message\]\{\s+\}\[call\]$/)
  })

  test('what it sends for half a character is text', async () => {
    const { text } = await turnOf('llama-server/half-character.sse', [], [])
    expect(text).toBe('[channel]final[message]Broken: \uFFFD and more text after it 🌦 fine.[return]')
  })

  test('a conversation that it refuses as too long is cut to what it says of its context', async () => {
    const bodies: string[] = []
    const fetch = async (_: unknown, { method, body }: RequestInit = {}): Promise<Response> => {
      if (method === 'GET') return new Response(String(captured('llama-server/models.json')))
      bodies.push(String(body))
      if (bodies.length === 1) return new Response(String(captured('llama-server/too-long.txt')), { status: 400 })
      return new Response(String(captured('llama-server/answer.sse')))
    }
    const engine = createChatEngine({ url: 'http://llama.invalid', fetch })
    const exchange = `<|start|>user<|message|>${'word '.repeat(500)}<|end|>`
    const prompt = encodeHarmony(`${exchange.repeat(6)}<|start|>user<|message|>Legs?<|end|><|start|>assistant`)
    const { end } = await readTokens(engine.generate(prompt, { promptFields: { truncates: true } }))
    expect(end?.reason).toBe('stop')
    const sent = bodies.map((body) => body.split('word').length - 1)
    // Of 2048 tokens, a quarter is left for the answer.
    expect(sent[0]).toBe(1_500)
    expect(sent[1]).toBe(1_000)
  })
})
