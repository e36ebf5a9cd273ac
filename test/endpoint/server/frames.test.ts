import { describe, expect, test } from 'vitest'
import { encodeSse } from '../../../src/core/sse/index.js'
import { encodeJson } from '../../../src/endpoint/server/encode-json.js'
import { eventStream } from '../../../src/endpoint/server/event-stream.js'
import { createFrameEncoder, framesOf, writeFrames } from '../../../src/endpoint/server/frames.js'
import { serveResponses } from '../../../src/endpoint/server/node.js'
import { answer, scriptedEngine } from '../../../src/testing/index.js'
import { endpoint, tokenTable } from './endpoint.js'

const LONG = { type: 'response.completed', output: Array.from({ length: 50_000 }, (_, at) => ({ at, text: 'ä"' })) }
const SHORT = { type: 'response.output_text.delta', sequence_number: 1, delta: 'Hi' }

describe('frames of large events', () => {
  test('a large event is written in pieces, which together are its frame, between those of the others', () => {
    const frames = framesOf([SHORT, LONG, SHORT, LONG], createFrameEncoder())
    expect(typeof frames).toBe('object')
    const pieces = [...frames]
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(200_000)
    expect(pieces.join('')).toBe([SHORT, LONG, SHORT, LONG].map((event) => encodeSse(event)).join(''))
  })

  test('what is no event, or would inject a frame, is refused at once, however large it is', () => {
    const encode = createFrameEncoder()
    for (const bad of [null, undefined, 1, {}, { ...LONG, type: 'a\nb' }]) {
      expect(() => encode(bad as never)).toThrow(expect.objectContaining({ code: 'bad_stream' }))
    }
  })

  test('nothing more of a large event is encoded when its client has left', async () => {
    let pieces = 0
    function* counted() {
      for (;;) yield `${pieces++}`
    }
    let left = 3
    await writeFrames(counted(), { hasLeft: () => left === 0, write: () => void left-- })
    expect(pieces).toBe(4)
  })

  test('a web stream holds one piece of a large event, and its reader gets all of it', async () => {
    const { signal } = new AbortController()
    const options = { done: true, keepAliveMs: 0, signal, report: () => {}, onEnd: () => {} }
    async function* events() {
      yield [SHORT, LONG]
    }
    const reader = eventStream(events(), options).getReader()
    const utf8 = new TextDecoder()
    let text = ''
    for (let step = await reader.read(); !step.done; step = await reader.read()) {
      expect(step.value.length).toBeLessThan(200_000)
      text += utf8.decode(step.value, { stream: true })
    }
    expect(text).toBe(`${encodeSse(SHORT)}${encodeSse(LONG)}data: [DONE]\n\n`)
  })
})

test('the event loop turns between two pieces of a large answer', async () => {
  let turns = 0
  let isOver = false
  const count = (): void => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  expect(await encodeJson(LONG)).toBe(JSON.stringify(LONG))
  isOver = true
  expect(turns).toBeGreaterThan(10)
})

describe('an answer with the log-probabilities of 1,000 tokens', () => {
  const script = () => answer('word '.repeat(1_000))
  const engine = () => {
    const inner = scriptedEngine(script, { tokenTable })
    return {
      health: inner.health,
      generate: (prompt: never, options: object) => withAlternatives(inner.generate(prompt, options as never)),
    }
  }
  async function* withAlternatives(tokens: AsyncIterable<unknown>) {
    for await (const chunk of tokens) {
      yield [chunk].flat().map((token) => ({
        ...{ id: (token as { id: number }).id, logprob: -0.5 },
        topLogprobs: Array.from({ length: 20 }, (_, at) => ({ id: 13_225 + at, logprob: -1.23456789 - at })),
      }))
    }
    return { reason: 'stop' }
  }
  const body = { input: 'Hi', include: ['message.output_text.logprobs'], top_logprobs: 20 }

  test('it is the same as a stream and whole, over Node and over fetch', async () => {
    const onNode = await serveResponses({ engine: engine() as never, tokenTable, port: 0 })
    try {
      const overNode = (given: object) =>
        fetch(new URL('/v1/responses', onNode.url), {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'gpt-oss', ...given }),
        }).then((response) => response.text())
      const overFetch = async (given: object) => {
        const { send } = endpoint(engine() as never)
        const headers = { 'content-type': 'application/json' }
        const init = { method: 'POST', headers, body: JSON.stringify({ model: 'gpt-oss', ...given }) }
        return (await send('/v1/responses', init)).text()
      }
      for (const ask of [overNode, overFetch]) {
        const text = await ask({ ...body, stream: true })
        const streamed = JSON.parse(text.trim().split('\ndata: ').at(-1) as string).response
        expect(streamed.output.at(-1).content[0].logprobs.length).toBeGreaterThan(1_000)
        const whole = JSON.parse(await ask(body))
        expect(whole.output.at(-1).content).toEqual(streamed.output.at(-1).content)
      }
    } finally {
      await onNode.close()
    }
  })
})
