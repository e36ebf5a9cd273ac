import { expect, test } from 'vitest'
import { queue } from '../../../src/endpoint/flow/queue.js'
import { eventStream } from '../../../src/endpoint/server/event-stream.js'

test('a web stream is one batch ahead of its reader, and no more', async () => {
  let made = 0
  async function* batches(): AsyncGenerator<{ type: string }[]> {
    for (;;) yield [{ type: `event_${++made}` }]
  }
  const { signal } = new AbortController()
  const options = { done: false, keepAliveMs: 0, signal, report: () => {}, onEnd: () => {} }
  const reader = eventStream(batches(), options).getReader()
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  for (let read = 1; read <= 5; read++) {
    const { value } = await reader.read()
    expect(new TextDecoder().decode(value)).toContain(`event: event_${read}\n`)
    await turns()
    expect(made).toBe(read + 1)
  }
  await reader.cancel()
})

test('batches that were made before the first read arrive', async () => {
  const events = queue<{ type: string }[], void>(
    async (write) => {
      for (let made = 1; made <= 5; made++) await write([{ type: `event_${made}` }])
    },
    () => {},
  )
  const { signal } = new AbortController()
  const options = { done: false, keepAliveMs: 0, signal, report: () => {}, onEnd: () => {} }
  const body = eventStream(events as AsyncGenerator<{ type: string }[]>, options)
  await new Promise((resolve) => setImmediate(resolve))
  const text = await new Response(body).text()
  expect(text.match(/(?<=event: )event_\d/g)).toEqual(['event_1', 'event_2', 'event_3', 'event_4', 'event_5'])
})
