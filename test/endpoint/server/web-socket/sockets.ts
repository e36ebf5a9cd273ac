import { onTestFinished } from 'vitest'
import { type ClientOptions, WebSocket } from 'ws'
import { type ResponsesServer, type ServeOptions, serveResponses } from '../../../../src/endpoint/server/node.js'
import { loadTokenTable } from '../../../../src/index.js'
import { checkEvents, type Violation } from '../../../../src/judge/conformance/index.js'
import { answer, type ScriptedPrompt, type ScriptedTurn, think } from '../../../../src/testing/index.js'

/** A frame of the server's. */
export interface Frame {
  readonly type: string
  readonly stream_id?: string
  readonly [field: string]: unknown
}

/** A raw client, which takes frames in the order in which they come. */
export interface RawClient {
  readonly socket: WebSocket
  send(message: unknown): void
  /** The next frame that was not taken yet. */
  frame(): Promise<Frame>
  /** The frames up to the end of the next answer: a terminal event, or an error. */
  answer(): Promise<Frame[]>
  /** Resolves to the code that the connection is closed with. */
  readonly closed: Promise<number>
}

/** A server for one test. */
export async function serve(options: Omit<ServeOptions, 'tokenTable'>): Promise<ResponsesServer> {
  const server = await serveResponses({ port: 0, onError: () => {}, ...options, tokenTable: await loadTokenTable() })
  onTestFinished(() => server.close({ graceMs: 0 }))
  return server
}

/** A client for one test. */
export async function connect(server: ResponsesServer, options: ClientOptions = {}): Promise<RawClient> {
  const client = await connectTo(server, options)
  onTestFinished(() => client.socket.terminate())
  return client
}

/** A client that the test closes itself. */
export async function connectTo({ url }: ResponsesServer, options: ClientOptions = {}): Promise<RawClient> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/responses`, options)
  const client = rawClient(socket)
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  return client
}

/** The status that an upgrade is refused with; 101 if it is not. */
export function upgradeStatus({ url }: ResponsesServer, options: ClientOptions = {}): Promise<number | undefined> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/responses`, options)
  return new Promise((resolve, reject) => {
    socket.once('open', () => {
      socket.terminate()
      resolve(101)
    })
    socket.once('unexpected-response', (request, { statusCode }) => {
      request.destroy()
      resolve(statusCode)
    })
    socket.once('error', reject)
  })
}

function rawClient(socket: WebSocket): RawClient {
  const frames: Frame[] = []
  let wake = (): void => {}
  let isClosed = false
  socket.on('message', (data) => {
    frames.push(JSON.parse(String(data)) as Frame)
    wake()
  })
  const closed = new Promise<number>((resolve) => {
    socket.on('close', (code) => {
      isClosed = true
      wake()
      resolve(code)
    })
  })
  async function frame(): Promise<Frame> {
    for (;;) {
      const next = frames.shift()
      if (next !== undefined) return next
      if (isClosed) throw new Error('the server has closed the socket')
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  return {
    socket,
    closed,
    frame,
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    async answer() {
      const answer: Frame[] = []
      do answer.push(await frame())
      while (!isTerminal(answer.at(-1)))
      return answer
    },
  }
}

/** Whether an answer ends with a frame. */
export function isTerminal(frame: Frame | undefined): boolean {
  return ['error', 'response.completed', 'response.incomplete', 'response.failed'].includes(frame?.type ?? '')
}

/** A `response.create`. */
export function create(input: unknown, fields: object = {}): object {
  return { type: 'response.create', model: 'gpt-oss', input, ...fields }
}

/** The response that an answer ends with. */
export function responseOf(answer: readonly Frame[]): { id: string; status: string; output: readonly never[] } {
  return (answer.at(-1) as unknown as { response: never }).response
}

/** The text of an answer. */
export function textOf(answer: readonly Frame[]): string {
  return answer.flatMap((frame) => (frame.type === 'response.output_text.delta' ? [frame['delta']] : [])).join('')
}

/** The judge's findings in an answer that is a response. */
export function faultsIn(answer: readonly Frame[]): Violation[] {
  return checkEvents(answer.map(({ stream_id: _, ...event }) => event as never))
}

/** An engine's answer: how many messages the prompt has, and the user's last words. */
export const echo = ({ messages }: ScriptedPrompt): ScriptedTurn => {
  const users = messages.filter(({ role }) => role === 'user')
  return [think('Hm.'), answer(`${users.length}: ${users.at(-1)?.content}`)]
}
