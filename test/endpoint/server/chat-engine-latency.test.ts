import { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { serveResponses } from '../../../src/endpoint/server/node.js'
import { createChatEngine } from '../../../src/engines/sources/chat.js'
import { ends, say, think } from '../../engines/sources/chat/chunks.js'
import { scriptedServer, stream } from '../../support/scripted-server.js'
import { tokenTable } from './endpoint.js'

const server = scriptedServer()
afterEach(() => vi.restoreAllMocks())

test('each piece of a chat server is written to the client before the event loop polls for I/O again', async () => {
  const words = ['Hello', 'wide', 'world']
  const { url } = server.script(stream([think('Hm'), ...words.map(say), ends('stop')]))
  /** The words that arrived in this turn of the loop. */
  let arrived = new Set<string>()
  const { emit } = IncomingMessage.prototype
  vi.spyOn(IncomingMessage.prototype, 'emit').mockImplementation(function (this: IncomingMessage, name, ...args) {
    const text = name === 'data' ? String(args[0]) : ''
    for (const word of words) if (text.includes(`"content":"${word}"`)) arrived.add(word)
    const isHeard = emit.call(this, name, ...args)
    // After the immediates of the words: all of them run before the loop polls again.
    if (arrived.size > 0) {
      setImmediate(() => {
        arrived = new Set()
      })
    }
    return isHeard
  })
  const written = new Map<string, boolean>()
  const { write } = ServerResponse.prototype
  vi.spyOn(ServerResponse.prototype, 'write').mockImplementation(function (this: ServerResponse, chunk, ...args) {
    for (const word of words) {
      if (String(chunk).includes(`"delta":"${word}"`)) written.set(word, arrived.has(word))
    }
    return Reflect.apply(write, this, [chunk, ...args])
  } as typeof write)
  const engine = createChatEngine({ url, model: 'm' })
  const served = await serveResponses({ engine, tokenTable, port: 0 })
  onTestFinished(() => served.close({ graceMs: 0 }))
  const response = await fetch(`${served.url}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input: 'Hi', stream: true }),
  })
  expect(await response.text()).toContain('response.completed')
  expect(Object.fromEntries(written)).toEqual({ Hello: true, wide: true, world: true })
})
