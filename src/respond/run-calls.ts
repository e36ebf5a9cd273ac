import { childSignals } from '../child-signals.js'
import type { Happened } from '../journal/entry.js'
import type { ResponseFold } from '../journal/response-fold.js'
import { renderToolResult } from '../prompt/tool-message.js'
import type { CallResult } from '../responses/call-result.js'
import type { HostedCall } from '../tools/tool.js'
import { calleeNames } from './callee-names.js'
import type { Inbox } from './inbox.js'
import type { RespondOptions } from './options.js'
import { runTool } from './run-tool.js'
import type { RefusedCall } from './waiting-calls.js'

export interface RunCallsOptions extends Pick<RespondOptions, 'tools' | 'tokenTable' | 'policy' | 'onProgress'> {
  readonly fold: ResponseFold
  readonly inbox: Inbox
  readonly signal: AbortSignal
  readonly isClosed: () => boolean
  readonly report: (error: unknown) => void
}

/** What the model sees of calls that are not run. */
const TOO_MANY: CallResult = { error: { message: 'The limit of tool calls for this response is reached.' } }
const INTERRUPTED: CallResult = { error: { message: 'The call was interrupted. It may have run, or may not.' } }

/**
 * Runs calls side by side, as the entries that they give. Each has to be applied before the next is asked for. Results
 * enter the transcript in the order of the calls, after what the tools insert.
 */
export async function* runCalls(calls: readonly HostedCall[], options: RunCallsOptions): AsyncGenerator<Happened> {
  const { fold, inbox, isClosed, report, tools = [], onProgress = () => {} } = options
  const { request } = fold.open
  const names = calleeNames(calls, fold.transcript, request, options)
  const most = Number(request.max_tool_calls ?? Number.POSITIVE_INFINITY)
  const { insert } = inbox
  const running: Promise<CallResult>[] = []
  const signals = childSignals(options.signal)
  for (const call of calls) {
    const attempt = fold.attempts(call.id) + 1
    if (attempt === 1 && fold.started >= most) running.push(Promise.resolve(TOO_MANY))
    else if (attempt > 1 && 'approval_request_id' in call && call.approval_request_id !== null) {
      running.push(Promise.resolve(INTERRUPTED))
    } else {
      yield* inbox.before({ type: 'tool_started', itemId: call.id, attempt })
      if (isClosed()) return
      const { signal, end } = signals.open()
      const result = runTool(call, { tools, request, signal, insert, onProgress, onError: report })
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
    const transcript = messageOf(call, result, names, options)
    yield { type: 'tool_result', itemId: call.id, result, transcript }
  }
}

/** Tells the model of calls that the translator has refused: their items have their errors already. */
export async function* tellRefusals(calls: readonly RefusedCall[], options: RunCallsOptions): AsyncGenerator<Happened> {
  const { fold, inbox } = options
  const names = calleeNames(calls, fold.transcript, fold.open.request, options)
  for (const call of calls) {
    const message = 'message' in call.error ? call.error.message : 'tool not available'
    const transcript = messageOf(call, { error: { message } }, names, options)
    yield* inbox.before({ type: 'tool_result', itemId: call.id, transcript })
  }
}

function messageOf(
  call: HostedCall,
  result: CallResult,
  names: ReadonlyMap<string, string>,
  { tokenTable }: RunCallsOptions,
): number[] {
  const recipient = names.get(call.id)
  return renderToolResult(call, result, { tokenTable, ...(recipient !== undefined && { recipient }) })
}
