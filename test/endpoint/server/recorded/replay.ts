import { expect } from 'vitest'
import type { McpTool } from '../../../../src/core/responses/request-tools.js'
import { createSseDecoder } from '../../../../src/core/sse/index.js'
import { fromChatRequest } from '../../../../src/dialects/index.js'
import type { ResponsesServer, ServeOptions } from '../../../../src/endpoint/server/node.js'
import type { Tool } from '../../../../src/endpoint/tools/tool.js'
import { type ScriptedPrompt, type ScriptedTurn, scriptedEngine } from '../../../../src/testing/index.js'
import type { CapturedRequest } from '../../../support/shared-data.js'
import { connect, type RawClient, serve } from '../web-socket/sockets.js'
import { type FollowUp, followUpOf, isCall, turnThatSays } from './follow-up.js'
import { type Json, obedientModel } from './obedient-model.js'
import { recordedIds } from './recorded-ids.js'

/** A recorded request, and our answer to it. */
export interface Replayed {
  readonly name: string
  readonly status: number
  /** The response, the error, or another answer. */
  readonly body: Json
  /** The events, if it streams, or can be streamed later. */
  readonly events?: readonly Json[]
  /** How many tokens of the conversation so far the engine had to read again, where it goes on after a call. */
  readonly readAgain?: number
}

/** Every MCP server that a request may name. */
const servers: Tool = {
  answers: (item) => item.type === 'mcp_call',
  run: async () => ({ output: 'found' }),
  listings: async ({ tools }) => {
    const labels = (tools ?? []).flatMap((tool) => (tool.type === 'mcp' ? [(tool as McpTool).server_label] : []))
    return labels.map((serverLabel) => ({ serverLabel, tools: [{ name: 'search', inputSchema: { type: 'object' } }] }))
  },
}

/**
 * Sends a client's requests to an endpoint of this library, in their order and by their transport. The model repeats
 * the recorded output, as far as the client's next request reveals it, and ids of recorded answers are replaced by
 * ours.
 */
export async function replay(
  sequence: readonly CapturedRequest[],
  options: Partial<ServeOptions> = {},
): Promise<{ answers: readonly Replayed[]; errors: readonly unknown[] }> {
  const errors: unknown[] = []
  let say: (prompt: ScriptedPrompt) => ScriptedTurn
  const engine = scriptedEngine((prompt) => say(prompt))
  const server = await serve({ engine, tools: [servers], onError: (error) => errors.push(error), ...options })
  const ids = recordedIds()
  const answers: Replayed[] = []
  let socket: RawClient | undefined
  let mayBeCached = false
  for (const [index, { name, method, url, body: recorded = {} }] of sequence.entries()) {
    const followUp = followUpOf(recorded, sequence.slice(index + 1))
    say = modelFor(url, recorded, followUp)
    const body = ids.inOurs(recorded)
    if (recorded['type'] === 'response.create') socket ??= await connect(server)
    const answer =
      recorded['type'] === 'response.create'
        ? { name, ...(await sendFrame(socket as RawClient, body)) }
        : { name, ...(await send(server, method, ids.inOurs(pathOf(url)), body)) }
    if (followUp !== undefined) ids.learn(followUp, answer.body)
    const events = answer.events ?? (await keptEvents(server, answer.body))
    answers.push({
      ...answer,
      ...(events && { events }),
      ...(mayBeCached && { readAgain: readAgain(answers, answer) }),
    })
    const next = sequence.slice(index + 1, index + 2)
    mayBeCached =
      followUpOf(recorded, next)?.said.some(isCall) === true && isKept(recorded) && !next.some(asksForSummary)
  }
  return { answers, errors }
}

function modelFor(url: string, body: Json, followUp: FollowUp | undefined): (prompt: ScriptedPrompt) => ScriptedTurn {
  const request = url.endsWith('/chat/completions') ? (fromChatRequest(body).request as unknown as Json) : body
  const obedient = obedientModel(request)
  let isFirst = true
  return (prompt) => {
    const turn = isFirst && followUp !== undefined ? turnThatSays(followUp, request) : obedient(prompt)
    isFirst = false
    return turn
  }
}

/** Whether the endpoint has the response when its client goes on: a socket remembers those that are not stored, too. */
const isKept = ({ store, type }: Json): boolean => store !== false || type === 'response.create'

const asksForSummary = ({ body }: CapturedRequest): boolean => JSON.stringify(body).includes('"compaction_trigger"')

function readAgain(before: readonly Replayed[], { body }: Pick<Replayed, 'body'>): number {
  const [last, own] = [before.at(-1)?.body, body].map((response) => Object(response?.['usage']) as Json)
  const { cached_tokens: cached } = Object(own?.['input_tokens_details']) as Json
  // The host's part of a demanded call is in the cache, and is not output.
  return Math.max(0, Number(last?.['input_tokens']) + Number(last?.['output_tokens']) - Number(cached))
}

/** The events of a response that was not streamed, as a client that comes later reads them. */
async function keptEvents({ url }: ResponsesServer, { object, id, store }: Json): Promise<Json[] | undefined> {
  if (object !== 'response' || store === false) return undefined
  return eventsIn(await (await fetch(`${url}/v1/responses/${id}?stream=true`)).text())
}

function eventsIn(text: string): Json[] {
  const events: Json[] = []
  createSseDecoder({ onEvent: (event) => events.push(event as never) }).push(text)
  return events
}

/** Without the recording server's prefix. */
const pathOf = (url: string): readonly string[] => url.replace(/^\/t\/[^/]+/, '').split('/')

async function send(
  { url }: ResponsesServer,
  method: string,
  path: readonly string[],
  body: Json,
): Promise<Omit<Replayed, 'name'>> {
  const answer = await fetch(`${url}${path.join('/')}`, {
    method,
    ...(method === 'POST' && { body: JSON.stringify(body) }),
  })
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream')
  if (!isStream) return { status: answer.status, body: (await answer.json()) as Json }
  // Chunks of the older API have no type, which the decoder asks for.
  const read = path.at(-1) === 'completions' ? chunksIn : eventsIn
  const events = read(await answer.text())
  return { status: answer.status, body: Object(events.at(-1)?.['response']) as Json, events }
}

function chunksIn(text: string): Json[] {
  const frames = text.trimEnd().split('\n\n')
  expect(frames.pop()).toBe('data: [DONE]')
  return frames.map((frame) => JSON.parse(frame.replace(/^data: /, '')) as Json)
}

async function sendFrame(socket: RawClient, body: Json): Promise<Omit<Replayed, 'name'>> {
  socket.send(body)
  const frames = (await socket.answer()) as unknown as readonly Json[]
  const last = frames.at(-1) as Json
  // The error of a request that was refused is no event of a response.
  if (frames.length === 1 && last['type'] === 'error') return { status: Number(last['status']), body: last }
  return { status: 200, body: Object(last['response']) as Json, events: frames }
}

/** The refusal, in a line. */
export function refusalIn({ status, body }: Replayed): string {
  const { param, code } = Object(body['error']) as Json
  return `${status} ${param} ${code}`
}
