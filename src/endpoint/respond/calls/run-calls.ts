import type { DeclaredTools } from '../../../core/recipients/declared-tools.js'
import { qualifiedName } from '../../../core/recipients/qualified-name.js'
import type { RequestTools } from '../../../core/recipients/request-tools.js'
import type { CallResult } from '../../../core/responses/call-result.js'
import type { McpCallItem, OutputItem, WebSearchCallItem } from '../../../core/responses/items.js'
import { callSafely } from '../../../shared/call-safely.js'
import { withPauses } from '../../../shared/slices.js'
import { childSignals } from '../../flow/child-signals.js'
import { nextTurn } from '../../flow/next-turn.js'
import type { EntryBody } from '../../journal/entry.js'
import type { ResponseFold } from '../../journal/response-fold.js'
import { renderToolResultInSlices } from '../../prompt/tool-message.js'
import type { EarlierResult, HostedCall } from '../../tools/tool.js'
import type { Inbox } from '../inbox.js'
import { withAdditions } from '../offered.js'
import type { RespondOptions } from '../options.js'
import { earlierResults } from './earlier-results.js'
import { runTool } from './run-tool.js'
import type { RefusedCall } from './waiting-calls.js'
import { type WrittenCall, writtenCalls } from './written-calls.js'

export interface RunCallsOptions
  extends Pick<RespondOptions, 'tools' | 'owner' | 'tokenTable' | 'onProgress' | 'onDiagnostic' | 'pause'> {
  readonly fold: ResponseFold
  readonly inbox: Inbox
  readonly signal: AbortSignal
  readonly isClosed: () => boolean
  readonly report: (error: unknown) => void
  /** The tools of the request. */
  readonly resolved: RequestTools
  /** By approval request, the ids that follow the result of its call: the results of later calls. Default: none. */
  readonly idsAfter?: ReadonlyMap<string, Uint32Array>
}

/** The results of calls that do not run, for the model. */
const TOO_MANY: CallResult = { error: { message: 'The limit of tool calls for this response is reached.' } }
/**
 * The error of a call that the translator refuses. An approved one is older than the request and the servers' listings.
 */
const UNAVAILABLE: CallResult = { error: { code: -32602, message: 'tool not available' } }
const INTERRUPTED: CallResult = { error: { message: 'The call was interrupted. It may have run, or may not.' } }

/**
 * Runs calls concurrently, and yields their entries, each of which has to be applied before the next is requested.
 * Results enter the transcript in the order of the calls, after the items that the tools insert.
 */
export async function* runCalls(calls: readonly HostedCall[], options: RunCallsOptions): AsyncGenerator<EntryBody> {
  const { fold, inbox, isClosed, report, tools = [], onProgress = () => {}, owner } = options
  const { responseId } = fold.open
  const request = withAdditions(fold.open.request, fold.open.operator)
  const { declared, classify } = options.resolved
  const written = writtenCalls(calls, fold.transcript, { tokenTable: options.tokenTable, classify })
  const max = Number(request.max_tool_calls ?? Number.POSITIVE_INFINITY)
  const { insert } = inbox
  const running: Promise<CallResult>[] = []
  const signals = childSignals(options.signal)
  let earlier: readonly EarlierResult[] | undefined
  // Without the results of these calls, however late a tool asks.
  const { contextSize } = fold
  const read = (): readonly EarlierResult[] =>
    (earlier ??= earlierResults(fold.context.subarray(0, contextSize), options.tokenTable))
  for (const [index, call] of calls.entries()) {
    const attempt = fold.attempts(call.id) + 1
    if (isExcluded(call, declared)) {
      const { server_label, name } = call as McpCallItem
      const notice = { code: 'unavailable_tool', subject: qualifiedName(name, server_label), index: -1 } as const
      callSafely(options.onDiagnostic, notice, report)
      running.push(Promise.resolve(UNAVAILABLE))
    } else if (attempt === 1 && (fold.started >= max || isSearchTooMany(call, options)))
      running.push(Promise.resolve(TOO_MANY))
    else if (attempt > 1 && !(await mayRepeat(call, options))) running.push(Promise.resolve(INTERRUPTED))
    else {
      yield* inbox.before({ type: 'tool_started', itemId: call.id, attempt })
      if (isClosed()) return
      const { signal, end } = signals.open()
      const text = written.get(call.id)?.text ?? ''
      const before = calls.slice(0, index)
      const own = {
        request,
        responseId,
        signal,
        text,
        before,
        earlierResults: read,
        ...(owner !== undefined && { owner }),
      }
      const result = runTool(call, { tools, own, insert, onProgress, onError: report })
      result.then(end)
      running.push(result)
    }
  }
  for (const [index, call] of calls.entries()) {
    let result: CallResult | undefined
    while (result === undefined) {
      result = await inbox.wait(running[index] as Promise<CallResult>)
      if (isClosed()) return
      yield* inbox.all()
    }
    const transcript = await messageOf(call, result, written, options)
    const followers = followersOf(call, options)
    if (isClosed()) return
    yield { type: 'tool_result', itemId: call.id, result, transcript, ...(followers.length > 0 && { followers }) }
  }
}

/** Returns the results of the request that wait for the result of a call. */
function followersOf(call: HostedCall, { idsAfter }: RunCallsOptions): readonly number[] {
  const approval = 'approval_request_id' in call ? call.approval_request_id : null
  return Array.from((approval !== null && idsAfter?.get(approval)) || [])
}

/** Whether the maximum number of searches has begun. */
function isSearchTooMany(call: HostedCall, { fold }: RunCallsOptions): boolean {
  const { maxSearches = Number.POSITIVE_INFINITY } = fold.open
  if (!isSearch(call)) return false
  return fold.output.filter((item) => isSearch(item) && fold.attempts(item.id) > 0).length >= maxSearches
}

function isSearch(item: Pick<OutputItem, 'type'>): boolean {
  return item.type === 'web_search_call' && (item as WebSearchCallItem).action.type === 'search'
}

/** Whether to repeat a call that may have run. A user approved it once. */
async function mayRepeat(call: HostedCall, { tools = [], signal, report }: RunCallsOptions): Promise<boolean> {
  if ('approval_request_id' in call && call.approval_request_id !== null) return false
  try {
    const tool = tools.find((each) => each.answers(call))
    return (await tool?.isRepeatable?.(call, { signal })) === true
  } catch (error) {
    report(error)
    return false
  }
}

/** Whether the request, or the server's listing, excludes the tool of an approved call. */
function isExcluded(call: HostedCall, { mcpServers }: DeclaredTools): boolean {
  return call.type === 'mcp_call' && mcpServers.get(call.server_label)?.allows(call.name) === false
}

/** Tells the model of calls that the translator has refused: their items already contain their errors. */
export async function* tellRefusals(
  calls: readonly RefusedCall[],
  options: RunCallsOptions,
): AsyncGenerator<EntryBody> {
  const { fold, inbox } = options
  const { classify } = options.resolved
  const written = writtenCalls(calls, fold.transcript, { tokenTable: options.tokenTable, classify })
  for (const call of calls) {
    const message = 'message' in call.error ? call.error.message : 'tool not available'
    const transcript = await messageOf(call, { error: { message } }, written, options)
    yield* inbox.before({ type: 'tool_result', itemId: call.id, transcript })
  }
}

function messageOf(
  call: HostedCall,
  result: CallResult,
  written: ReadonlyMap<string, WrittenCall>,
  { tokenTable, pause = nextTurn }: RunCallsOptions,
): Promise<number[]> {
  const recipient = written.get(call.id)?.recipient
  const options = { tokenTable, ...(recipient !== undefined && { recipient }) }
  return withPauses(renderToolResultInSlices(call, result, options), pause)
}
