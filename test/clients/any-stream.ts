import { parseMessages } from '../../src/core/harmony/index.js'
import type { CustomTool, FunctionTool as FunctionDeclaration, McpTool } from '../../src/core/responses/request.js'
import { RequestError, type ResponseHandle, respond } from '../../src/endpoint/respond/index.js'
import {
  collectResponse,
  loadTokenTable,
  type OutputItem,
  type Response,
  type ResponseRequest,
  type StreamEnd,
  type TokenChunk,
} from '../../src/index.js'
import type { Client, Played } from './play.js'
import { answer, type Scenario, type Script, turn, type WireTool } from './scenarios.js'
import { scriptedHost } from './scripted-host.js'
import type { Exchange } from './server.js'

const tokenTable = await loadTokenTable()

/** The input of a stream. */
export interface AnyStream {
  readonly chunks: readonly TokenChunk[]
  readonly request: ResponseRequest
  readonly options: Scenario['options']
  readonly end?: StreamEnd
}

/**
 * What the model wrote in a stream, as a scenario of the endpoint: its tools give the results that are in the stream, and
 * none where there are no more. It ends where the client has to act, and the client goes on from there.
 *
 * @param place - the host inserts an item before each chunk whose number is a multiple of it
 */
export function playedByEndpoint(stream: AnyStream, place: number): Omit<Scenario, 'shows'> {
  const { isTranscript: _, ...scenario } = scenarioOf(stream)
  const parts = stream.chunks.flatMap(resultsIn)
  const tokens = parts.flatMap((part, index) => (index % place === 0 ? [FILE_SEARCH, part] : [part]))
  return { ...scenario, turns: [{ tokens, end: {} }, turn(answer('Done.'))] }
}

const FILE_SEARCH = { insert: { type: 'file_search_call', status: 'completed', queries: ['Oslo'], results: null } }

/** The model's parts unchanged, and each result of the host's parts. */
function resultsIn(chunk: TokenChunk): TokenChunk[] {
  if (typeof chunk !== 'object' || !('host' in chunk)) return [chunk]
  const { messages } = parseMessages(chunk.host as readonly number[], { tokenTable, role: null, origin: 'host' })
  return messages.flatMap(({ role, name, content }) =>
    role === 'tool' ? [{ host: { author: name ?? '', text: content } }] : [],
  )
}

/** The first response to a scenario, as an endpoint makes it; undefined if it refuses the request. */
export async function responseTo(scenario: Omit<Scenario, 'shows'>): Promise<Response | undefined> {
  const { prompt: input, tools, turns, options } = scenario
  const host = scriptedHost(turns[0] as Script, { onHangs() {}, onClosed() {} })
  const onOpen = (opened: ResponseHandle): void => host.onOpen(opened)
  const given = { ...options, engine: host.engine, tools: [host.tool], tokenTable, onOpen }
  try {
    return await collectResponse(respond({ input, tools: tools as never }, given))
  } catch (error) {
    if (error instanceof RequestError) return undefined
    throw error
  }
}

/** A stream as a scenario: the client answers the calls in it, and hears that all is done. */
export function scenarioOf({ chunks, request, options, end = {} }: AnyStream): Omit<Scenario, 'shows'> {
  return {
    name: 'any stream',
    prompt: 'Go on.',
    tools: (request.tools ?? []).flatMap(wireTool),
    include: [...(request.include ?? [])],
    options,
    turns: [{ tokens: chunks, end }, turn(answer('Done.'))],
    isTranscript: true,
  }
}

/**
 * The tool in the form that clients can declare. The host runs a shell without an environment here, since no client
 * runs one.
 */
function wireTool(tool: { readonly type: string }): WireTool[] {
  switch (tool.type) {
    case 'function': {
      const { name } = tool as FunctionDeclaration
      const parameters = { type: 'object' as const, properties: {}, required: [], additionalProperties: true }
      return [{ type: 'function', name, description: 'Takes anything.', parameters, strict: false }]
    }
    case 'custom':
      return [{ type: 'custom', name: (tool as CustomTool).name, description: 'Takes any text.' }]
    case 'mcp': {
      const { server_label, require_approval } = tool as McpTool
      const approval = require_approval === 'always' ? 'always' : 'never'
      const server_url = 'https://tools.example.com/mcp'
      return [{ type: 'mcp', server_label, server_url, require_approval: approval }]
    }
    case 'code_interpreter':
      return [{ type: 'code_interpreter', container: { type: 'auto' } }]
    case 'web_search':
    case 'web_search_preview':
      return [{ type: 'web_search' }]
    case 'shell':
      return [{ type: 'shell', environment: { type: 'container_auto' } }]
    default:
      return []
  }
}

/** Names that every client declares unchanged: the API allows no dot, and the Agents SDK turns `-` into `_`. */
const CLIENT_NAME = /^[a-zA-Z0-9_]+$/

/** Whether the client's calls in a response are such that an application can answer them. */
export function isAnswerable(response: Response, tools: readonly WireTool[]): boolean {
  const names = tools.flatMap((tool) => (tool.type === 'function' || tool.type === 'custom' ? [tool.name] : []))
  return (
    names.every((name) => CLIENT_NAME.test(name)) &&
    response.output.every((item) => {
      if (item.type === 'function_call') return names.includes(item.name) && (isCut(item) || isObject(item.arguments))
      return item.type !== 'mcp_approval_request' && item.type !== 'local_shell_call'
    })
  )
}

/** A call that was cut off, so nothing may run it. */
const isCut = (item: object): boolean => 'status' in item && item.status === 'incomplete'

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

/** The part of any responses that a client shows. Messages are joined, as some clients do themselves. */
export type Shown = Pick<Played, 'reasoning' | 'calls' | 'ending'> & { readonly text: string }

/**
 * What a client showed. For a client with tools of its own, no calls: it could not run ours. And none of a
 * response that was cut off after them, because clients differ in whether they run such calls.
 */
export function shownBy(client: Client, { text, reasoning, calls, ending }: Played): Shown {
  const counts = client.wording === undefined && ending === 'completed'
  return withoutTheLost({ text: text.join(''), reasoning, calls: counts ? calls : [], ending })
}

/**
 * Where truncation is an error, reasoning that is shown when the response is whole is lost: it does not count there.
 */
const withoutTheLost = (shown: Shown): Shown => (shown.ending === 'failed' ? { ...shown, reasoning: '' } : shown)

/** The part of the streamed events that must be shown. */
function shownOf(exchanges: readonly Exchange[], client: Client): Shown {
  const responses = responsesOf(exchanges)
  const hides = (item: OutputItem): boolean =>
    client.hidesBlankReasoning === true && item.type === 'reasoning' && !reasoningOf(item).trim()
  const items = responses.flatMap(({ output }) => output).filter((item) => !hides(item))
  return {
    text: items
      .flatMap((item) => (item.type === 'message' ? item.content : []))
      .map((part) => part.text)
      .join(''),
    reasoning: items.map(reasoningOf).join(''),
    calls: items.flatMap((item) => {
      if (isCut(item)) return []
      if (item.type === 'function_call') return [{ name: item.name, arguments: JSON.parse(item.arguments) }]
      return item.type === 'custom_tool_call' ? [{ name: item.name, arguments: item.input }] : []
    }),
    ending: responses.at(-1)?.status as Shown['ending'],
  }
}

/** The text of reasoning, and nothing of other items. */
function reasoningOf(item: OutputItem): string {
  const parts = item.type === 'reasoning' ? [...item.summary, ...(item.content ?? [])] : []
  return parts.map(({ text }) => text).join('')
}

const hasLimit = ({ limits }: Client, what: string): boolean => limits.some((limit) => limit.what === what)

const responsesOf = (exchanges: readonly Exchange[]): Response[] =>
  exchanges
    .map(({ events }) => events.at(-1))
    .flatMap((event) => ('response' in Object(event) ? [(event as unknown as { response: Response }).response] : []))

/** Whether reasoning was streamed only as raw text: the host asks for that, or there is no request for a summary. */
function isRaw(exchanges: readonly Exchange[]): boolean {
  const items = responsesOf(exchanges).flatMap(({ output }) => output)
  return items.every((item) => item.type !== 'reasoning' || item.summary.length === 0)
}

/** The part that must be shown within the limits of a client, as its scenarios demonstrate them. */
export function within(exchanges: readonly Exchange[], client: Client): Shown {
  const shown = shownOf(exchanges, client)
  const counts = client.wording === undefined && shown.ending === 'completed'
  const has = (what: string): boolean => hasLimit(client, what)
  return withoutTheLost({
    ...shown,
    calls: counts ? shown.calls : [],
    ...(has('no raw reasoning') && isRaw(exchanges) ? { reasoning: '' } : {}),
    ...(has('truncation is an error') && shown.ending === 'incomplete' ? { ending: 'failed' } : {}),
  })
}
