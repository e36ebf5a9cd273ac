import type { ServedEngine } from '../../src/engines/contract/engine-server.js'
import { type ChatEngineOptions, createChatEngine } from '../../src/engines/sources/chat.js'
import { frame } from './scripted-server.js'

/** The body of a request to a chat server. */
export interface ChatRequest {
  readonly model: string
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads of a message is what it tests
  readonly messages: readonly any[]
  // biome-ignore lint/suspicious/noExplicitAny: the same
  readonly [field: string]: any
}

/** What a chat server says in one turn: its chunks, or its whole answer. */
export type ChatTurn = readonly unknown[] | ((body: ChatRequest) => readonly unknown[] | Response)

/** An engine whose server plays turns in order, the last again and again, and keeps what it was asked. */
export function chatEngine(
  turns: readonly ChatTurn[],
  options: Partial<ChatEngineOptions> = {},
): ServedEngine & { readonly asked: ChatRequest[] } {
  const asked: ChatRequest[] = []
  const fetch = async (url: unknown, { body }: RequestInit = {}): Promise<Response> => {
    if (new URL(String(url)).pathname === '/v1/models') return Response.json({ data: [{ id: 'qwen' }] })
    const request = JSON.parse(String(body)) as ChatRequest
    const turn = turns[Math.min(asked.length, turns.length - 1)] ?? []
    asked.push(request)
    const said = typeof turn === 'function' ? turn(request) : turn
    return said instanceof Response ? said : new Response(said.map(frame).join(''))
  }
  const engine = createChatEngine({ url: 'http://chat.invalid', fetch, delay: async () => {}, ...options })
  return { ...engine, asked }
}
