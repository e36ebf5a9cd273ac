/* What the snippets of the pages take for granted: a request, its tokens, a server to ask, somebody to send events to. */

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { EngineError, tokenStream } from '../../src/engines/contract/index.js'
import {
  type ListedTool,
  loadTokenTable,
  type ResponseRequest,
  type ResponseStreamEvent,
  type TokenChunk,
  Translator,
} from '../../src/index.js'
import { planPieces, type SourceOpener } from '../../src/judge/conformance/index.js'

// <|channel|>final<|message|>Hi!<|return|>, as every engine below samples it.
const IDS = [200005, 17196, 200008, 12194, 0, 200002]

/** An engine in the words of vLLM's `/v1/completions`. It is gone when the process is. */
async function scriptedVllm(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    if (request.url?.endsWith('/models') === true) {
      return void response.end(JSON.stringify({ data: [{ id: 'gpt-oss', max_model_len: 4096 }] }))
    }
    const choice = { index: 0, text: '', token_ids: IDS, finish_reason: 'stop', stop_reason: null, logprobs: null }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`data: ${JSON.stringify({ id: 'cmpl-1', choices: [choice] })}\n\ndata: [DONE]\n\n`)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  server.unref()
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const url = await scriptedVllm()
const json = readFileSync('fixtures/plain-answer.json', 'utf8')
const events: ResponseStreamEvent[] = readFileSync('fixtures/plain-answer.events.jsonl', 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line))

async function* sampled(): AsyncGenerator<number> {
  yield* IDS
}

/** A backend that plays a plan by itself: tokens, then how they end. */
const openOverMyFakeServer: SourceOpener = (plan, signal) => {
  let isAsked = false
  let close = (): void => {}
  const closed = new Promise<void>((resolve) => {
    close = resolve
  })
  const source = tokenStream(async function* (signal) {
    isAsked = true
    signal.addEventListener('abort', close)
    yield* planPieces(plan)
    if (plan.ending === 'hang') await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    if (plan.ending === 'error') throw new EngineError('server_error', 'scripted')
    return { reason: plan.ending === 'stop' ? 'stop' : 'max_output_tokens' }
  }, signal)
  return { source, backend: { wasAsked: () => isAsked, closed } }
}

/** A server that is this library. */
const myServer = {
  async respond(chunks: readonly TokenChunk[], request: ResponseRequest): Promise<ResponseStreamEvent[]> {
    const translator = new Translator({ request, tokenTable: await loadTokenTable() })
    return [...chunks.flatMap((chunk) => translator.push(chunk)), ...translator.end('stop')]
  },
}

/** What a snippet can use without declaring it. */
export interface World {
  readonly request: ResponseRequest
  readonly tokens: AsyncGenerator<number>
  readonly ids: readonly number[]
  readonly promptTokens: readonly number[]
  readonly signal: AbortSignal
  /** A key to seal with, in base64. */
  readonly sealKey: string
  /** Whose request it is. */
  readonly userId: string
  /** Where an engine answers as vLLM does. */
  readonly url: string
  /** A token fixture. */
  readonly json: string
  readonly events: readonly ResponseStreamEvent[]
  readonly stream: readonly ResponseStreamEvent[]
  /** A capture of a stream. */
  readonly file: AsyncIterable<Uint8Array>
  readonly mcpClient: {
    listTools(): Promise<{ tools: ListedTool[] }>
    callTool(): Promise<unknown>
    close(): Promise<void>
  }
  readonly openOverMyFakeServer: SourceOpener
  readonly myServer: typeof myServer
  send(events: readonly ResponseStreamEvent[]): void
  save(text: string): void
}

/** Each snippet gets its own. */
export function world(): World {
  const listed: ListedTool[] = [{ name: 'search', inputSchema: { type: 'object' } }]
  return {
    request: { model: 'gpt-oss', input: 'Say hi.' },
    tokens: sampled(),
    ids: IDS,
    promptTokens: [200006, 1428, 200008, 12194, 200007, 200006, 173781],
    signal: new AbortController().signal,
    sealKey: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
    userId: 'alice',
    url,
    json,
    events,
    stream: events,
    file: Readable.from([readFileSync('fixtures/plain-answer.events.jsonl')]),
    mcpClient: {
      listTools: async () => ({ tools: listed }),
      callTool: async () => ({ content: [{ type: 'text', text: '3 results' }] }),
      async close() {},
    },
    openOverMyFakeServer,
    myServer,
    send() {},
    save() {},
  }
}
