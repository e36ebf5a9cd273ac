import { expect, test } from 'vitest'
import { eventStream } from '../../src/server/event-stream.js'

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
