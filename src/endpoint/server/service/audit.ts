import { builtinCalled } from '../../../core/recipients/builtin-tools.js'
import { merged } from '../../../shared/merged.js'
import type { HostedCall, Tool } from '../../tools/tool.js'
import { withRun } from '../with-run.js'

/**
 * The record of a call that a tool of the host ran: who requested it, what allowed it, and how it ended. It contains no
 * content.
 */
export interface CallRecord {
  /** When it began, in Unix seconds by the service's `clock`. */
  readonly at: number
  /** The caller for whom it ran. */
  readonly owner: string
  /** The id of the response. */
  readonly responseId: string
  /** The id of its item. */
  readonly itemId: string
  /** The type of its item. */
  readonly type: HostedCall['type']
  /** The MCP server, or the host's own functions. Absent for other types. */
  readonly serverLabel?: string
  /** The tool on that server. Absent for other types. */
  readonly name?: string
  /**
   * The reason why it was allowed: `approval`, the user approved this call (`approvalRequestId`); `operator`, the tool
   * is offered, and needs no approval; `request`, the request declares it and requires none.
   */
  readonly allowedBy: 'approval' | 'operator' | 'request'
  /** The approval request that the user approved. Absent if there was none. */
  readonly approvalRequestId?: string
  /** How long it ran. */
  readonly seconds: number
  /** `cancelled`: the response ended before the call did. */
  readonly outcome: 'completed' | 'failed' | 'cancelled'
  /** The code of a failure, if any. Its message may quote the tool, and is not recorded. */
  readonly errorCode?: string | number
  /** The model's arguments. Only with `auditArguments`. */
  readonly arguments?: unknown
}

/** Options for a log of the calls of tools. */
export interface AuditOptions {
  /**
   * Receives each call of a tool, once it has ended: for a log of who did what. Errors and rejections go to `onError`.
   */
  readonly audit?: (call: CallRecord) => void | Promise<void>
  /** Whether its records contain the arguments of the calls, which are content. Default: false. */
  readonly auditArguments?: boolean
}

export interface AuditContext extends AuditOptions {
  readonly owner: string
  readonly responseId: string
  readonly clock: () => number
  /** Returns milliseconds by a monotonic clock. */
  readonly now: () => number
  /** Whether a call is of an offered tool. */
  readonly isOffered: (call: HostedCall) => boolean
  /** Receives the errors of `audit`. */
  readonly report: (error: unknown) => void
}

/** Wraps the tools of one response so that each call is recorded. */
export function auditedTools(tools: readonly Tool[], context: AuditContext): readonly Tool[] {
  const { audit, auditArguments = false, owner, responseId, clock, now, isOffered, report } = context
  if (audit === undefined) return tools
  // Not `callSafely`, which ignores rejections: a gap in the audit has to be noticed.
  const record = (call: CallRecord): void => void (async () => audit(call))().catch(report)
  return tools.map((tool) =>
    withRun(tool, async (call, toolContext) => {
      const at = clock()
      const start = now()
      const begun = merged(
        { at, owner, responseId },
        aboutCall(call, isOffered(call) ? 'operator' : 'request', auditArguments),
      )
      let ended: Pick<CallRecord, 'outcome' | 'errorCode'> = { outcome: 'failed' }
      try {
        const result = await tool.run(call, toolContext)
        const { error } = Object(result) as Partial<typeof result>
        const { code } = Object(error) as { readonly code?: string | number }
        ended = error === undefined ? { outcome: 'completed' } : failed(code)
        return result
      } finally {
        if (toolContext.signal.aborted && ended.outcome === 'failed') ended = { outcome: 'cancelled' }
        record(merged(begun, { seconds: (now() - start) / 1000, ...ended }))
      }
    }),
  )
}

function failed(code: string | number | undefined): Pick<CallRecord, 'outcome' | 'errorCode'> {
  return { outcome: 'failed', ...(code !== undefined && { errorCode: code }) }
}

function aboutCall(
  call: HostedCall,
  unasked: CallRecord['allowedBy'],
  hasArguments: boolean,
): Pick<CallRecord, 'itemId' | 'type' | 'serverLabel' | 'name' | 'allowedBy' | 'approvalRequestId' | 'arguments'> {
  const { id: itemId, type } = call
  const given = hasArguments && { arguments: argumentsOf(call) }
  if (call.type !== 'mcp_call') return { itemId, type, allowedBy: unasked, ...given }
  const { server_label: serverLabel, name, approval_request_id: approvalRequestId } = call
  return {
    ...{ itemId, type, serverLabel, name },
    ...(approvalRequestId === null ? { allowedBy: unasked } : { allowedBy: 'approval', approvalRequestId }),
    ...given,
  }
}

function argumentsOf(call: HostedCall): unknown {
  return call.type === 'mcp_call' ? call.arguments : builtinCalled(call)?.asked(call)
}
