import { EventEmitter } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import {
  createResponsesApp,
  type ResponsesApp,
  type ResponsesAppOptions,
} from '../../../../src/endpoint/server/index.js'
import { loadTokenTable } from '../../../../src/index.js'
import { answer, scriptedEngine } from '../../../../src/testing/index.js'
import { create } from './sockets.js'

const tokenTable = await loadTokenTable()

/** The arguments of Hono's `upgradeWebSocket` of a runtime. */
interface SocketEvents {
  onOpen(event: unknown, socket: object): void
  onMessage(event: { data: unknown }): void
  onClose(): void
}

/** An app whose socket is opened by the test. */
async function openSocket(
  raw: object,
  options: Partial<ResponsesAppOptions> = {},
): Promise<{ readonly app: ResponsesApp; readonly events: SocketEvents; readonly closed: unknown[] }> {
  let events: SocketEvents | undefined
  const closed: unknown[] = []
  const app = createResponsesApp({
    engine: scriptedEngine(() => answer('One two three four five six seven eight nine ten')),
    tokenTable,
    ...options,
    upgradeWebSocket: (createEvents) => async (context) => {
      events = createEvents(context as never) as SocketEvents
      return context.body(null, 200)
    },
  })
  const headers = { host: 'localhost', upgrade: 'websocket' }
  await app.fetch(new Request('http://localhost/v1/responses', { headers }))
  if (events === undefined) throw new Error('there was no upgrade')
  const send = (text: string): void => (raw as { send(text: string): void }).send(text)
  events.onOpen({}, { raw, readyState: 1, send, close: (code: number) => closed.push(code) })
  onTestFinished(() => events?.onClose())
  return { app, events, closed }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('on Node, no event is created until the sent ones have left', async () => {
  const sent: string[] = []
  let leave = (): void => {}
  const raw = Object.assign(new EventEmitter(), {
    readyState: 1,
    bufferedAmount: 1_000_000,
    send(text: string, done: () => void) {
      sent.push(text)
      leave = done
    },
    ping() {},
    terminate() {},
    close() {},
  })
  const { events } = await openSocket(raw)
  events.onMessage({ data: JSON.stringify(create('Hi')) })
  for (let frames = 1; frames <= 5; frames += 1) {
    while (sent.length < frames) await turn()
    for (let round = 0; round < 20; round += 1) await turn()
    expect(sent).toHaveLength(frames)
    leave()
  }
})

test('on other runtimes than Node, no event is made while much waits in the socket', async () => {
  const sent: string[] = []
  const raw = { bufferedAmount: 1_000_000, send: (text: string) => void sent.push(text) }
  const { events } = await openSocket(raw)
  events.onMessage({ data: JSON.stringify(create('Hi')) })
  while (sent.length < 1) await turn()
  for (let round = 0; round < 20; round += 1) await turn()
  expect(sent).toHaveLength(1)
  raw.bufferedAmount = 0
  while (!sent.at(-1)?.includes('response.completed')) await turn()
})

/** A socket on Node whose client reads nothing. */
function deafSocket(): EventEmitter & { isCut: boolean } {
  const raw = Object.assign(new EventEmitter(), {
    isCut: false,
    readyState: 1,
    bufferedAmount: 1_000_000,
    send() {},
    ping() {},
    close() {},
    terminate() {
      raw.isCut = true
    },
  })
  return raw
}

test('a client that reads nothing and asks for ever more is cut off', async () => {
  const raw = deafSocket()
  const { events } = await openSocket(raw)
  const input = 'x'.repeat(1_000_000)
  const data = JSON.stringify({ type: 'response.steer', previous_response_id: 'resp_x', input })
  for (let count = 0; count < 4; count += 1) events.onMessage({ data })
  for (let round = 0; round < 40; round += 1) await turn()
  expect(raw.isCut).toBe(false)
  events.onMessage({ data })
  while (!raw.isCut) await turn()
})

test('a client that reads nothing and pings for ever is cut off', async () => {
  const raw = deafSocket()
  await openSocket(raw)
  for (let count = 0; count < 1000; count += 1) raw.emit('ping')
  expect(raw.isCut).toBe(false)
  raw.emit('ping')
  expect(raw.isCut).toBe(true)
})

test('draining does not wait for a client that does not read once its signal aborts', async () => {
  const raw = { bufferedAmount: 1_000_000, send: () => {} }
  const { app, events, closed } = await openSocket(raw)
  events.onMessage({ data: JSON.stringify(create('Hi')) })
  await app.drain(AbortSignal.timeout(1))
  expect(closed).toEqual([1001])
})
