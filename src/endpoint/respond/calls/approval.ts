import { declareMcpServer, type McpServerRules, type ReadOnlyHints } from '../../../core/recipients/mcp-server.js'
import type { ListedTool } from '../../../core/responses/mcp-listing.js'
import type { McpTool, ResponseRequest } from '../../../core/responses/request.js'
import { check } from '../../../shared/errors.js'

/** A tool of an MCP server, or a function of the host, for an approval policy. */
export interface ApprovableTool {
  /** The `server_label` of its server, or of the host's functions. */
  readonly serverLabel: string
  /** Its name on that server. */
  readonly name: string
  /** MCP's annotations. `{ readOnlyHint: true }` is the server's unverified claim that the tool changes nothing. */
  readonly annotations?: unknown
  /** Whether the operator offers it; otherwise the request declares it. */
  readonly isOffered: boolean
}

/** Whether the user has to approve a call; undefined leaves it to the request. */
export type ApprovalDecision = 'always' | 'never' | undefined

/**
 * Which calls of MCP servers and of the host's functions need the user's approval, whatever the request says: all,
 * none, by name or read-only hint (like a request's `require_approval`), or by a function. A request may ask for more
 * approvals, never for fewer.
 */
export type ApprovalPolicy<Context = { readonly request: ResponseRequest }> =
  | NonNullable<McpTool['require_approval']>
  | ((tool: ApprovableTool, context: Context) => ApprovalDecision | Promise<ApprovalDecision>)

/** Decides on the tools of one server. */
export interface ServerApproval {
  readonly serverLabel: string
  readonly isOffered: boolean
  readonly hints: ReadOnlyHints
}

/**
 * Returns a policy's decision on a tool. If a function throws, or returns an invalid decision, that is reported, and
 * the user is asked.
 *
 * @throws HarmonyResponsesError `bad_option` if the policy is malformed
 */
export async function decisionOf(
  policy: ApprovalPolicy | undefined,
  { name, annotations }: Pick<ListedTool, 'name' | 'annotations'>,
  { serverLabel, isOffered, hints }: ServerApproval,
  { request, onError }: { readonly request: ResponseRequest; readonly onError: (error: unknown) => void },
): Promise<ApprovalDecision> {
  if (policy === undefined) return undefined
  if (typeof policy !== 'function')
    return ruleServer(serverLabel, policy, hints).needsApproval(name) ? 'always' : 'never'
  try {
    const about = { serverLabel, name, isOffered, ...(annotations != null && { annotations }) }
    const decision = (await policy(about, { request })) ?? undefined
    const isDecision = decision === undefined || decision === 'always' || decision === 'never'
    check(isDecision, 'approval', "'always', 'never' or undefined", decision)
    return decision
  } catch (error) {
    onError(error)
    return 'always'
  }
}

function ruleServer(
  serverLabel: string,
  rule: NonNullable<McpTool['require_approval']>,
  hints: ReadOnlyHints,
): McpServerRules {
  return declareMcpServer(
    { type: 'mcp', server_label: serverLabel, require_approval: rule },
    'approval: ',
    undefined,
    hints,
  )
}
