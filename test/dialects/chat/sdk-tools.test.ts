import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { toSseResponse } from '../../../src/core/sse/index.js'
import { fromChatRequest, toChatChunks, toChatCompletion } from '../../../src/dialects/index.js'
import { promptMessages } from '../../../src/endpoint/prompt/index.js'
import { parseRequest } from '../../../src/endpoint/request/index.js'
import { oneByOne, run } from '../../laws/streams.js'
import { encodeHarmony } from '../../support/tokens.js'

const REASONING = '<|channel|>analysis<|message|>Look it up.<|end|><|start|>assistant'
const TURNS = [
  `${REASONING}<|channel|>commentary to=functions.weather <|constrain|>json<|message|>{"city":"Rome"}<|call|>`,
  '<|channel|>final<|message|>Sunny in Rome.<|return|>',
]

/** A server of this library whose model has two turns, and the conversations that it was asked to go on with. */
function serverOfTwoTurns(): { client: OpenAI; prompts: string[][] } {
  const prompts: string[][] = []
  const fetch = async (_: unknown, init?: { body?: unknown }): Promise<Response> => {
    const chat = fromChatRequest(JSON.parse(String(init?.body)))
    const request = parseRequest(chat.request)
    const messages = promptMessages(request, { date: '2026-01-31' })
    prompts.push(messages.slice(2).map(({ role, name, content }) => `${name ?? role}: ${content}`))
    const { events, response } = run(oneByOne(encodeHarmony(TURNS[prompts.length - 1] ?? '')), { request })
    if (!request.stream) return Response.json(toChatCompletion(response, chat.answer))
    return toSseResponse(toChatChunks(events, chat.answer), { eventLines: false, done: true })
  }
  return { client: new OpenAI({ apiKey: 'none', baseURL: 'http://test.invalid/v1', maxRetries: 0, fetch }), prompts }
}

test.each([true, false])("the openai SDK's tool runner runs a tool to the end, with stream: %s", async (stream) => {
  const { client, prompts } = serverOfTwoTurns()
  const asked: string[] = []
  const runner = client.chat.completions.runTools({
    model: 'gpt-oss',
    stream: stream as true,
    messages: [{ role: 'user', content: 'Weather in Rome?' }],
    tools: [
      {
        type: 'function',
        function: {
          name: 'weather',
          description: 'The weather of a city.',
          parse: JSON.parse,
          parameters: { type: 'object', properties: { city: { type: 'string' } } },
          function: ({ city }: { city: string }) => {
            asked.push(city)
            return 'sunny'
          },
        },
      },
    ],
  })
  expect(await runner.finalContent()).toBe('Sunny in Rome.')
  expect(asked).toEqual(['Rome'])
  // The runner sends back no reasoning, whatever it got.
  expect(prompts[1]).toEqual(['user: Weather in Rome?', 'assistant: {"city":"Rome"}', 'functions.weather: sunny'])
})
