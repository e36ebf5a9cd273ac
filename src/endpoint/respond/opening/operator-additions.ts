import type { NoticeCode } from '../../../core/diagnostics/diagnostic.js'
import { declareTools } from '../../../core/recipients/declared-tools.js'
import { declareMcpServer } from '../../../core/recipients/mcp-server.js'
import type { RecipientPolicy } from '../../../core/recipients/policy.js'
import { qualifiedName } from '../../../core/recipients/qualified-name.js'
import { hintsOf } from '../../../core/recipients/tool-hints.js'
import type { ListedTool, McpListing } from '../../../core/responses/mcp-listing.js'
import type { McpTool, ResponseRequest, UnknownTool } from '../../../core/responses/request.js'
import { RequestError } from '../../../shared/request-error.js'
import type { OperatorAdditions } from '../../journal/entry.js'
import { type ApprovalPolicy, decisionOf } from '../calls/approval.js'
import { type OfferedTool, type OperatorOffer, ruleOf } from '../offered.js'

export interface OperatorAdditionsOptions {
  readonly offered?: OperatorOffer
  readonly approval?: ApprovalPolicy
  /** Whether the client can be asked for an approval. */
  readonly approvals?: 'ask' | 'refuse'
  readonly policy: RecipientPolicy
  readonly onError: (error: unknown) => void
  readonly notice?: (code: NoticeCode, subject: string) => void
}

/**
 * Returns the operator's additions to a request: the offered tools by name, and the tools whose calls need the user's
 * approval. Decided once, when the response is opened, and written into its first entry: a process that resumes it
 * consults no policy again.
 *
 * @param tools - {@link toolsFor} the request
 * @param listings - the listings of the request's and the offered servers
 * @throws RequestError if a tool of the request has the name of an offered one
 */
export async function operatorAdditions(
  request: ResponseRequest,
  tools: readonly OfferedTool[],
  listings: readonly McpListing[],
  options: OperatorAdditionsOptions,
): Promise<OperatorAdditions | undefined> {
  const { offered = {}, approval } = options
  const given: UnknownTool[] = []
  for (const tool of tools) {
    const bounded = tool.type === 'mcp' ? await boundedServer(tool, request, listings, options) : tool
    if (bounded !== undefined) given.push(bounded)
  }
  const asks = await asksOf(request, listings, options)
  const { instructions = '', effort } = offered
  const additions: OperatorAdditions = {
    ...(given.length > 0 && { tools: given }),
    ...(instructions !== '' && { instructions }),
    ...(effort !== undefined && { effort }),
    ...(given.length > 0 && offered.allowedTools === 'ignore' && { isExempt: true as const }),
    ...((approval !== undefined || Object.keys(asks).length > 0) && { asks }),
  }
  return Object.keys(additions).length === 0 ? undefined : additions
}

/** Returns the server with the names of its offered tools; undefined if there are none. */
async function boundedServer(
  tool: McpTool,
  request: ResponseRequest,
  listings: readonly McpListing[],
  { offered = {}, approval, approvals = 'ask', onError, notice }: OperatorAdditionsOptions,
): Promise<McpTool | undefined> {
  const { server_label: serverLabel, server_description: description } = tool
  const about = {
    type: 'mcp' as const,
    server_label: serverLabel,
    ...(description != null && { server_description: description }),
  }
  const own = listings.filter((listing) => listing.serverLabel === serverLabel)
  // The tool reports a server that fails to list. The model is not taught it.
  if (own.some(({ error }) => error != null)) return undefined
  const hints = hintsOf(listings)
  const server = declareMcpServer(tool, 'offered: ', undefined, hints)
  const listed = toolsOf(own)
  // A server without a listing may answer to any name.
  if (listed === undefined) {
    const isNever = tool.require_approval === 'never' || (tool.require_approval == null && approval === undefined)
    if (!isNever && approvals === 'refuse') return undefined
    return {
      ...about,
      ...(tool.allowed_tools != null && { allowed_tools: tool.allowed_tools }),
      require_approval: isNever ? 'never' : 'always',
    }
  }
  const clashes = clashesIn(request)
  const names: string[] = []
  const needingApproval: string[] = []
  for (const one of listed) {
    const { name } = one
    if (!server.allows(name)) continue
    const clash = clashes(serverLabel, name)
    if (clash !== undefined && offered.onClash !== 'client') throw sameName(clash, qualifiedName(name, serverLabel))
    if (clash !== undefined) continue
    const decision = await decisionOf(approval, one, { serverLabel, isOffered: true, hints }, { request, onError })
    if (server.needsApproval(name, 'never') || decision === 'always') needingApproval.push(name)
    names.push(name)
  }
  if (approvals === 'refuse' && needingApproval.length > 0) {
    notice?.('unapprovable_tool', needingApproval.map((name) => qualifiedName(name, serverLabel)).join(', '))
    const remaining = names.filter((name) => !needingApproval.includes(name))
    return remaining.length === 0 ? undefined : { ...about, allowed_tools: remaining, require_approval: 'never' }
  }
  return names.length === 0 ? undefined : { ...about, allowed_tools: names, require_approval: ruleOf(needingApproval) }
}

/** Returns undefined without a listing of the tools. */
function toolsOf(listings: readonly McpListing[]): readonly ListedTool[] | undefined {
  const [first] = listings
  return first?.tools
}

/**
 * Returns the tools of the request's own servers whose calls need an approval, by the rules of the request and of the
 * operator. Where the operator has none, the request decides.
 */
async function asksOf(
  request: ResponseRequest,
  listings: readonly McpListing[],
  { offered = {}, approval, approvals = 'ask', policy, onError }: OperatorAdditionsOptions,
): Promise<{ readonly [label: string]: readonly string[] }> {
  if (approval === undefined && (offered.tools ?? []).length === 0) return {}
  const declared = (request.tools ?? []).filter((tool): tool is McpTool => tool.type === 'mcp')
  const hints = hintsOf(listings)
  const { mcpServers } = declareTools(declared, hints)
  const asks: { [label: string]: readonly string[] } = Object.create(null)
  for (const [serverLabel, server] of mcpServers) {
    const offer = (offered.tools ?? []).find((tool) => tool.type === 'mcp' && tool.server_label === serverLabel)
    const rule = offer && declareMcpServer(offer as McpTool, 'offered: ', undefined, hints)
    if (approval === undefined && rule === undefined) continue
    const listed = toolsOf(listings.filter((listing) => listing.serverLabel === serverLabel && listing.error == null))
    if (listed === undefined) {
      // No name is known, and a client may send a listing of its own: unless all tools are exempt, all need an
      // approval.
      const { require_approval: offeredRule } = (offer ?? {}) as Partial<McpTool>
      const asksNothing = [approval, offeredRule].every((each) => each == null || each === 'never')
      if (asksNothing) continue
      if (approvals === 'refuse') throw unapprovable(request, serverLabel)
      asks[serverLabel] = ['*']
      continue
    }
    const needingApproval: string[] = []
    for (const one of listed) {
      const about = { serverLabel, isOffered: false, hints }
      const decision = await decisionOf(approval, one, about, { request, onError })
      const isAsked =
        decision === 'always' ||
        server.needsApproval(one.name, decision ?? policy.mcpApproval) ||
        rule?.needsApproval(one.name, 'never') === true
      if (isAsked) needingApproval.push(one.name)
    }
    if (approvals === 'refuse' && needingApproval.some((name) => server.allows(name))) {
      throw unapprovable(request, serverLabel, needingApproval)
    }
    asks[serverLabel] = needingApproval
  }
  return asks
}

/** Rejects calls that could not be approved: they would end the response without an explanation for its client. */
function unapprovable(
  { tools = [] }: ResponseRequest,
  serverLabel: string,
  names: readonly string[] = [],
): RequestError {
  const at = (tools ?? []).findIndex((tool) => tool.type === 'mcp' && (tool as McpTool).server_label === serverLabel)
  const param = `tools[${at}].server_label`
  const which = names.length === 0 ? '' : ` (${names.slice(0, 5).join(', ')})`
  const what = `calls of this server${which} need an approval, for which clients of this API cannot be asked.`
  return new RequestError(`Unsupported value: '${param}': ${what}`, { param, code: 'unsupported_value' })
}

/** Returns where the request declares a tool that the model could confuse with an offered one: the path of its name. */
function clashesIn({ tools }: ResponseRequest): (serverLabel: string, name: string) => string | undefined {
  const paths = new Map<string, string>()
  const add = (name: unknown, path: string, namespace?: unknown): void => {
    for (const key of namespace === undefined ? [keyOf(name), String(name)] : [keyOf(`${namespace}.${name}`)]) {
      if (!paths.has(key)) paths.set(key, `${path}.name`)
    }
  }
  for (const [index, tool] of (tools ?? []).entries()) {
    const { type, name, tools: members } = tool as UnknownTool & { readonly name?: unknown; readonly tools?: unknown }
    const path = `tools[${index}]`
    if (type === 'function' || type === 'custom') add(name, path)
    if (type !== 'namespace' || !Array.isArray(members)) continue
    for (const [at, member] of members.entries()) add(Object(member).name, `${path}.tools[${at}]`, name)
  }
  return (serverLabel, name) => paths.get(name) ?? paths.get(keyOf(qualifiedName(name, serverLabel)))
}

/** Normalizes a name as models spell it: with `__` for a dot, and a leading `mcp__`. */
function keyOf(name: unknown): string {
  return String(name)
    .replaceAll('__', '.')
    .replace(/^mcp\./, '')
}

function sameName(path: string, offered: string): RequestError {
  const message = `Invalid '${path}': this server has a tool of the same name, '${offered}', which each response may call. Rename yours.`
  return new RequestError(message, { param: path, code: 'invalid_value' })
}
