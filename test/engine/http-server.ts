import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { generateOptions, type TokenEngine } from '../../src/engine/index.js'
import { type TokenTable, translate } from '../../src/index.js'
import { toSseResponse } from '../../src/sse/index.js'
import { encodeHarmony } from '../support/tokens.js'
import { ask } from './scripts.js'

/** A Responses server on the loopback interface: all of its text comes from the engine. */
export interface HttpServer {
  readonly baseURL: string
  close(): Promise<void>
}

export async function serve(engine: TokenEngine, tokenTable: TokenTable): Promise<HttpServer> {
  const server = createServer(async (request, reply) => {
    const body = await jsonOf(request)
    const tokens = engine.generate(encodeHarmony(render(body.input)), generateOptions(body))
    const answer = toSseResponse(translate(tokens, { request: body as never, tokenTable }))
    reply.writeHead(answer.status, Object.fromEntries(answer.headers))
    // A client that goes away closes the stream, and so the call.
    pipeline(Readable.fromWeb(answer.body as ReadableStream), reply, () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

async function jsonOf(request: IncomingMessage): Promise<{ input: readonly InputItem[] }> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return JSON.parse(text)
}

/** An input item, as far as this server reads them. */
interface InputItem {
  readonly type?: string
  readonly content?: string | readonly { readonly text: string }[]
  readonly name?: string
  readonly arguments?: string
  readonly call_id?: string
  readonly output?: string
}

const START = '<|start|>assistant'

/** The prompt of a question, and of what became of it so far. */
function render(input: readonly InputItem[]): string {
  const [question, ...rest] = input
  const said = rest.map((item) => {
    switch (item.type) {
      case 'reasoning':
        return `<|channel|>analysis<|message|>${textOf(item)}<|end|>${START}`
      case 'function_call':
        return `<|channel|>commentary to=functions.${item.name} <|constrain|>json<|message|>${item.arguments}<|call|>`
      case 'function_call_output': {
        const name = rest.find(({ call_id, type }) => type === 'function_call' && call_id === item.call_id)?.name
        return `<|start|>functions.${name} to=assistant<|channel|>commentary<|message|>${item.output}<|end|>${START}`
      }
      default:
        throw new Error(`no item that is rendered here: ${item.type}`)
    }
  })
  return ask(textOf(question)) + said.join('')
}

function textOf({ content = '' }: InputItem = {}): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('')
}
