import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from 'vitest'
import type { ScriptedBackend } from '../../src/judge/conformance/check-source.js'

/** A request that a server received. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Parsed as JSON; `undefined` if there was no body. */
  readonly body: unknown
}

/** Answers one request through the response, at any time. */
export type Answer = (response: ServerResponse, asked: Asked) => void | Promise<void>

/** The state of a script of answers. */
export interface Script {
  /** The script's URL: an origin and a path. */
  readonly url: string
  readonly asked: Asked[]
  /** The call at it. `closed` is about the first request whose answer begins. */
  readonly backend: ScriptedBackend
}

/**
 * A real server on the loopback, for the tests of one file. Each script has a path of its own and answers its requests
 * in order, the last answer again and again.
 *
 * @param aside - JSON answers to a GET of these paths, any number of times. Such requests appear in no script's list.
 * @param robots - its robots.txt, which is outside of all scripts. Default: none
 */
export function scriptedServer(
  aside: Readonly<Record<string, unknown>> = {},
  robots?: string,
): {
  script(...answers: Answer[]): Script
} {
  const scripts: ((request: IncomingMessage, response: ServerResponse) => Promise<void>)[] = []
  const server = createServer((request, response) => {
    const [, number] = /^\/(\d+)/.exec(request.url ?? '') ?? []
    const answer = scripts[Number(number)]
    if (answer !== undefined) void answer(request, response)
    else if (request.url === '/robots.txt' && robots !== undefined) response.end(robots)
    else response.writeHead(404).end()
  })
  // Never closes an idle connection: on a busy machine it would be closed while the next request is written to it.
  server.keepAliveTimeout = 0
  beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  return {
    script(...answers) {
      const asked: Asked[] = []
      let close = (): void => {}
      const closed = new Promise<void>((resolve) => {
        close = resolve
      })
      const path = `/${scripts.length}`
      scripts.push(async (request, response) => {
        const said = request.method === 'GET' ? aside[(request.url ?? '').slice(path.length)] : undefined
        if (said !== undefined) return void response.end(JSON.stringify(said))
        const answer = answers[Math.min(asked.length, answers.length - 1)]
        const seen = {
          method: request.method ?? '',
          path: (request.url ?? '').slice(path.length),
          headers: request.headers,
          body: undefined as unknown,
        }
        asked.push(seen)
        response.on('close', close)
        let text = ''
        for await (const chunk of request.setEncoding('utf8')) text += chunk
        if (text !== '') seen.body = JSON.parse(text)
        response.socket?.setNoDelay(true)
        await answer?.(response, seen)
      })
      const { port } = server.address() as AddressInfo
      return { url: `http://127.0.0.1:${port}${path}`, asked, backend: { wasAsked: () => asked.length > 0, closed } }
    },
  }
}

/** One event of a stream. */
export function frame(data: unknown): string {
  return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}

/** Answers with frames, and then ends, hangs, or breaks the connection. */
export function stream(frames: readonly unknown[], then: 'ends' | 'hangs' | 'breaks' = 'ends'): Answer {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    response.flushHeaders()
    // Each on its way before the next, as an engine's are.
    for (const data of frames) await new Promise((resolve) => response.write(frame(data), resolve))
    if (then === 'ends') response.end()
    if (then === 'breaks') response.destroy()
  }
}

/** Answers with a status and a body. */
export function refuse(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}
