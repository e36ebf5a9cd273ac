import { Agent, request as askOverHttp, type ClientRequest } from 'node:http'
import { connect as connectTo, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeSlow } from '../../../support/slow-suites.js'
import { type AttackedProgram, type AttackedServer, attackedProgram } from './attacked.js'

/*
 * Clients of one owner who send more than there is memory, to a server in a process with a small heap, of which it may
 * count a quarter. With `ATTACK_SCALE` above 1, its heap and what is sent are so much larger, and it counts what it does by
 * default: 14 sends the sizes that killed a process of 1 GB, 40 bodies of 8.4 MB.
 */

const SCALE = Number(process.env['ATTACK_SCALE'] ?? 1)
const HEAP = 96 * SCALE
const MB = 1_048_576
/** The process before any request, with its code and young objects, and the budget of a heap of this size. */
const MAX_RSS = (170 + 96 + 1.3 * HEAP) * MB

// A connection for each request: one that is kept may be closed by the server while the next request is written to it.
const agent = new Agent()
let program: AttackedProgram
let server: AttackedServer

beforeAll(async () => {
  program = await attackedProgram()
  server = await program.start(HEAP, SCALE === 1 ? 24 * MB : undefined)
}, 180_000)
afterAll(async () => {
  agent.destroy()
  await server?.kill()
  program?.remove()
})

interface Answer {
  readonly status: number
  readonly body: string
  readonly retryAfter: string | undefined
}

/** Begins a request: its answer, and the request to write to. */
function begin(owner: string, length: number): { readonly request: ClientRequest; readonly answer: Promise<Answer> } {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${owner}`, 'content-length': length }
  const request = askOverHttp({ port: server.port, method: 'POST', path: '/v1/responses', headers, agent })
  const answer = new Promise<Answer>((resolve, reject) => {
    request.on('error', reject)
    request.on('response', (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text
      })
      const { statusCode: status = 0, headers } = response
      response.on('end', () => resolve({ status, body, retryAfter: headers['retry-after'] }))
      response.on('error', reject)
    })
  })
  answer.catch(() => {})
  return { request, answer }
}

async function ask(owner: string, body: object): Promise<Answer> {
  const text = JSON.stringify(body)
  const { request, answer } = begin(owner, Buffer.byteLength(text))
  request.end(text)
  return await answer
}

/** Another owner is answered, and the process holds no more than it may. */
async function expectService(): Promise<void> {
  const { status, body } = await ask('bystander', { input: 'Hi', store: false })
  expect([status, JSON.parse(body).status]).toEqual([200, 'completed'])
  const { peak } = await server.held()
  expect(peak).toBeLessThan(MAX_RSS)
  if (SCALE > 1) console.log(`${Math.round(peak / MB)} MB at most, of ${Math.round(MAX_RSS / MB)}`)
}

/** Resolves when nothing but the store holds anything. */
async function released(): Promise<void> {
  for (;;) {
    const { memory } = await server.held()
    if (memory.used === memory.by.store) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

describeSlow('attacks on the memory of a process', () => {
  test('many large requests at once, which are kept, do not kill the process, and another owner is served', async () => {
    const input = 'word '.repeat((0.6 * MB * SCALE) / 5)
    const text = JSON.stringify({ input, generate: false })
    const requests = Array.from({ length: 40 }, () => begin('attacker', text.length))
    for (const { request } of requests) request.write(text.slice(0, -1))
    // All of them are there before one is whole.
    const { memory: before } = await server.held()
    await settled(requests, Math.floor((before.total * 0.75) / (text.length * 5)))
    for (const { request } of requests) request.end(text.slice(-1))
    const answers = await Promise.all(requests.map(({ answer }) => answer.catch(() => undefined)))
    // Each of them is told, though it was still sending.
    expect(answers).not.toContain(undefined)
    const served = answers.filter((answer) => answer?.status === 200)
    const refused = answers.filter((answer) => answer?.status === 429)
    expect(served.length).toBeGreaterThan(0)
    expect(refused.length).toBeGreaterThan(0)
    for (const answer of refused) {
      expect(answer?.retryAfter).toBe('1')
      expect(JSON.parse(answer?.body ?? '').error).toMatchObject({
        type: 'rate_limit_error',
        code: 'rate_limit_exceeded',
      })
    }
    await expectService()
    // One after the other, more than the store has room for: the first ones go.
    for (let count = 0; count < 6; count++) {
      expect((await ask('attacker', { input, generate: false })).status).toBe(200)
    }
    await expectService()
    await released()
    const { memory } = await server.held()
    expect(memory.by.store).toBeLessThanOrEqual(memory.total / 2)
  }, 600_000)

  test('clients that send most of a large body and stop hold no more than their share, and another owner is served', async () => {
    const length = 1.5 * MB * SCALE
    const part = Buffer.alloc(length - 100, 0x20)
    const requests = Array.from({ length: 40 }, () => begin('attacker', length))
    for (const { request } of requests) request.write(part)
    // All but those that the server reads on are refused at once, by their length.
    const { memory } = await server.held()
    const mayStay = Math.floor((memory.total * 0.75) / (length * 5))
    const first = await Promise.all(
      requests.map(({ answer }) =>
        Promise.race([
          answer.then(
            ({ status }) => status,
            () => 0,
          ),
          settled(requests, mayStay),
        ]),
      ),
    )
    expect(first.filter((status) => status === 'waits').length).toBeLessThanOrEqual(mayStay)
    expect(first.filter((status) => status === 429).length).toBeGreaterThan(0)
    await expectService()
    for (const { request } of requests) request.destroy()
    await released()
  }, 600_000)

  /** Resolves when all but so many of the requests are answered. */
  async function settled(requests: readonly { readonly answer: Promise<Answer> }[], most: number): Promise<'waits'> {
    let over = 0
    await new Promise<void>((resolve) => {
      const count = (): void => {
        over += 1
        if (over >= requests.length - most) resolve()
      }
      for (const { answer } of requests) answer.then(count, count)
    })
    return 'waits'
  }

  test.skipIf(SCALE > 1)(
    'a body that is larger than the memory for one is refused with 413 before it is sent',
    async () => {
      const { memory } = await server.held()
      const { answer, request } = begin('attacker', Math.min(33_554_432, memory.total))
      request.flushHeaders()
      const { status, body } = await answer
      expect([status, JSON.parse(body).error.code]).toEqual([413, 'request_too_large'])
      request.destroy()
    },
  )

  /** A socket of the attacker's that is open, without a library that would hold back what it sends. */
  async function openSocket(): Promise<Socket> {
    const socket = connectTo(server.port, '127.0.0.1')
    socket.on('error', () => {})
    const head = 'GET /v1/responses HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n'
    socket.write(
      `${head}Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nAuthorization: Bearer attacker\r\n\r\n`,
    )
    await new Promise<void>((resolve) => socket.once('data', () => resolve()))
    return socket
  }

  /** A frame of a text that goes on: masked by zeros, as clients have to. */
  function fragment(length: number, isFirst: boolean): Buffer {
    const head = Buffer.alloc(14)
    head.writeUInt8(isFirst ? 0x01 : 0x00, 0)
    head.writeUInt8(0x80 | 127, 1)
    head.writeBigUInt64BE(BigInt(length), 2)
    return Buffer.concat([head, Buffer.alloc(length, 0x20)])
  }

  test.each([
    ['of one large fragment', 1, Math.min(4 * SCALE, 30) * MB],
    ['of many small fragments', 15_000, 1],
  ])(
    'WebSockets with unfinished messages %s hold no more than their share, and another owner is served',
    async (_, count, size) => {
      const sockets = await Promise.all(Array.from({ length: 40 }, openSocket))
      const frames = Buffer.concat(Array.from({ length: count }, (_, index) => fragment(size, index === 0)))
      const codes = sockets.map((socket) => closeCode(socket))
      for (const socket of sockets) socket.write(frames)
      const { memory } = await server.held()
      const each = Math.ceil((count * size + count * 256) / 16_384) * 16_384
      const most = Math.floor((memory.total * 0.75) / each)
      const closed = await Promise.all(codes.map((code) => Promise.race([code, settledCodes(codes, most)])))
      expect(closed.filter((code) => code === 'waits').length).toBeLessThanOrEqual(most)
      expect(closed.filter((code) => code === 1013).length).toBeGreaterThanOrEqual(40 - most)
      await expectService()
      for (const socket of sockets) socket.destroy()
      await released()
    },
    120_000,
  )

  /** The code of the frame that closes a connection; undefined if it ends without one. */
  function closeCode(socket: Socket): Promise<number | undefined> {
    return new Promise((resolve) => {
      socket.on('data', (data) => {
        if (data[0] === 0x88) resolve(data.readUInt16BE(2))
      })
      socket.once('close', () => resolve(undefined))
    })
  }

  async function settledCodes(codes: readonly Promise<unknown>[], most: number): Promise<'waits'> {
    let over = 0
    await new Promise<void>((resolve) => {
      if (most >= codes.length) resolve()
      for (const code of codes) {
        code.then(() => {
          over += 1
          if (over >= codes.length - most) resolve()
        })
      }
    })
    return 'waits'
  }

  test('a server that was killed in the middle of a stream leaves nothing behind that keeps the next one from its port', async () => {
    const first = await program.start(96)
    const socket = connectTo(first.port, '127.0.0.1')
    socket.on('error', () => {})
    const body = JSON.stringify({ input: 'Hi', stream: true })
    socket.write(
      `POST /v1/responses HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    await new Promise<void>((resolve) => socket.once('data', () => resolve()))
    await first.kill()
    const second = await program.start(96, undefined, first.port)
    const { status } = await fetch(`${second.url}/healthz`)
    expect([second.port, status]).toEqual([first.port, 200])
    socket.destroy()
    await second.kill()
  })
})
