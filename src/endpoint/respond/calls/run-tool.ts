import type { CompleteItem } from '../../../core/items/host/host-item.js'
import { RESULT_DATA } from '../../../core/recipients/builtin-tools.js'
import type { CallResult } from '../../../core/responses/call-result.js'
import type { ResponseRequest } from '../../../core/responses/request.js'
import { callSafely } from '../../../shared/call-safely.js'
import type { HostedCall, Tool, ToolProgress } from '../../tools/tool.js'

/** The context of a tool's run. */
export interface RunToolOptions {
  readonly tools: readonly Tool[]
  /** The request as the response knows it: without secrets. */
  readonly request: ResponseRequest
  readonly signal: AbortSignal
  readonly insert: (item: CompleteItem) => boolean
  readonly onProgress: (itemId: string, progress: ToolProgress) => void
  readonly onError: (error: unknown) => void
}

/** The model's result of a call that failed for internal reasons of the host. */
const FAILED: CallResult = { error: { message: 'The tool failed.' } }
const UNKNOWN: CallResult = { error: { message: 'No such tool.' } }

/** Runs a call. It never throws: if the tool does, the host receives its error, and the model a neutral message. */
export async function runTool(call: HostedCall, options: RunToolOptions): Promise<CallResult> {
  const { tools, request, signal, insert, onProgress, onError } = options
  let isRunning = true
  try {
    const tool = tools.find((tool) => tool.answers(call))
    if (tool === undefined) return UNKNOWN
    const result = await tool.run(call, {
      request,
      signal,
      report: (progress) => callSafely((each) => onProgress(call.id, each), progress, onError),
      // A process that resumes from the result would miss later items.
      insert: (item) => isRunning && insert(item),
    })
    return isResult(result) ? result : garbage(result, onError)
  } catch (error) {
    // The caller aborted, so the error is not reported.
    if (!signal.aborted) onError(error)
    return FAILED
  } finally {
    isRunning = false
  }
}

function isResult(result: unknown): result is CallResult {
  const given = Object(result) as { readonly [field: string]: unknown }
  const { output, error } = given
  const data = RESULT_DATA.map((field) => given[field])
  const isOutput = output === undefined || typeof output === 'string'
  const isError = error === undefined || typeof Object(error).message === 'string'
  const says = [output, error, ...data].some((field) => field !== undefined)
  return isOutput && isError && says && data.every((list) => Array.isArray(list ?? []))
}

function garbage(result: unknown, onError: (error: unknown) => void): CallResult {
  onError(new TypeError(`a tool returned no result: expected { output } or { error }, got ${typeof result}`))
  return FAILED
}
