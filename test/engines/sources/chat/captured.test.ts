import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createChatEngine } from '../../../../src/engines/sources/chat.js'
import { errorOf } from '../../../support/error-of.js'
import { readTokens } from '../../../support/read-tokens.js'
import { cut, encodeHarmony } from '../../../support/tokens.js'
import { WEATHER } from './chunks.js'
import { showTokens } from './show.js'

const PROMPT = encodeHarmony('<|start|>user<|message|>Hi<|end|><|start|>assistant')
const captured = (name: string): Buffer => readFileSync(new URL(`./captured/${name}`, import.meta.url))

/** The turn of a captured stream, cut into pieces of these sizes. */
async function turnOf(name: string, sizes: readonly number[] = []) {
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
  const { tokens, end } = await readTokens(engine.generate(PROMPT, { promptFields: { tools: [WEATHER] } }))
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
