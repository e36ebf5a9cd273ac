import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import { setImmediate as nextCheck } from 'node:timers/promises'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { streamBody } from '../../../src/endpoint/server/stream-body.js'
import { reading } from '../../../src/shared/system/reads.js'

afterEach(() => vi.restoreAllMocks())

interface Opened {
  readonly body: ReturnType<typeof streamBody>
  readonly outgoing: ServerResponse
  readonly incoming: IncomingMessage
}

/** Opens some answers of a server. */
async function open(count: number): Promise<readonly Opened[]> {
  const answers: ServerResponse[] = []
  const server = createServer((_, outgoing) => {
    outgoing.flushHeaders()
    answers.push(outgoing)
  })
  onTestFinished(() => void server.close())
  onTestFinished(() => server.closeAllConnections())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const opened: Opened[] = []
  for (let nth = 0; nth < count; nth++) {
    const asked = request({ port, host: '127.0.0.1', agent: false }).end()
    const [incoming] = (await once(asked, 'response')) as [IncomingMessage]
    incoming.on('error', () => {})
    const outgoing = answers[nth] as ServerResponse
    opened.push({ body: streamBody(outgoing), outgoing, incoming })
  }
  return opened
}

/** The texts of the chunks that sockets are given from now on, in order. */
function watched(): string[] {
  const texts: string[] = []
  const { write } = Socket.prototype
  vi.spyOn(Socket.prototype, 'write').mockImplementation(function (this: Socket, chunk, ...args) {
    texts.push(String(chunk).split('\r\n')[1] ?? '')
    return Reflect.apply(write, this, [chunk, ...args])
  } as typeof write)
  return texts
}

test('what the reads of several sockets cause is written after all of them, each stream once', async () => {
  const [first, second] = await open(2)
  const written = watched()
  reading(() => first?.body.write('a'))
  reading(() => second?.body.write('b'))
  reading(() => first?.body.write('c'))
  expect(written).toEqual([])
  await nextCheck()
  expect(written).toEqual(['ac', 'b'])
})

test('what no read has caused is written at once', async () => {
  const [opened] = await open(1)
  const written = watched()
  opened?.body.write('a')
  expect(written).toEqual(['a'])
})

test('a text behind one that waits for the other reads stays behind it', async () => {
  const [opened] = await open(1)
  const written = watched()
  reading(() => opened?.body.write('a'))
  opened?.body.write('b')
  await nextCheck()
  expect(written).toEqual(['ab'])
})

test('texts that wait are written before the answer ends', async () => {
  const [opened] = await open(1)
  const { body, outgoing, incoming } = opened as Opened
  reading(() => body.write('a'))
  body.flush()
  outgoing.end()
  let text = ''
  for await (const piece of incoming.setEncoding('utf8')) text += piece
  expect(text).toBe('a')
})

test('a client that is behind is told of, and catches up, if its texts wait for reads', async () => {
  const [opened] = await open(1)
  const { body, incoming } = opened as Opened
  incoming.pause()
  const text = 'x'.repeat(10_000)
  let made = 0
  const isFull = (): boolean => {
    let hasRoom = true
    reading(() => {
      hasRoom = body.write(text)
    })
    made++
    return !hasRoom
  }
  while (!isFull()) {
    await nextCheck()
    // The sockets' buffers of a loopback hold some megabytes.
    expect(made).toBeLessThan(3000)
  }
  const drained = new Promise<void>((resolve) => body.drains.once('drain', resolve))
  incoming.resume()
  await drained
})
