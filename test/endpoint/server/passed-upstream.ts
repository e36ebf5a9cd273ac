import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach } from 'vitest'
import type { ServedEngine } from '../../../src/engines/contract/engine-server.js'
import { createVllmEngine, type VllmEngineOptions } from '../../../src/engines/sources/vllm.js'

/** A request that reached the engine's server. */
export interface Reached {
  readonly method: string
  /** As it was sent, with its query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads of a body is what it tests
  readonly json: any
}

export interface Upstream {
  readonly url: string
  /** The requests that were passed on to it. */
  readonly reached: Reached[]
  /** How often it was asked for its models. */
  readonly listed: () => number
  readonly engine: ServedEngine
  close(): Promise<void>
}

type Answer = (response: ServerResponse, request: IncomingMessage, reached: Reached) => void

const open: Upstream[] = []
afterEach(async () => {
  for (const upstream of open.splice(0)) await upstream.close()
})

export const json =
  (value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof value === 'string' ? value : JSON.stringify(value))

/** A real server of an engine on the loopback, until the test is over. */
export async function upstream(
  answer: Answer,
  {
    models = ['openai/gpt-oss-20b'],
    ...options
  }: Partial<VllmEngineOptions> & { readonly models?: readonly string[] } = {},
): Promise<Upstream> {
  const reached: Reached[] = []
  let listed = 0
  const server = createServer((request, response) => {
    if (request.url === '/v1/models') {
      listed += 1
      return json({ data: models.map((id) => ({ id, owned_by: 'vllm' })) })(response, request, undefined as never)
    }
    // Only the health of the engine is asked for by GET.
    if (request.method === 'GET') return void response.end()
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => void parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts).toString()
      const { method = '', url = '', headers } = request
      const one = { method, url, headers, body, json: JSON.parse(body) }
      reached.push(one)
      answer(response, request, one)
    })
  })
  // Never closes an idle connection by itself.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const made: Upstream = {
    url,
    reached,
    listed: () => listed,
    engine: createVllmEngine({ url, ...options }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  open.push(made)
  return made
}
