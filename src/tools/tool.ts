import type { HostedItemType } from '../recipients/builtin-tools.js'
import type { CallResult } from '../responses/call-result.js'
import type { McpCallItem, OutputItemByType } from '../responses/items.js'
import type { McpListing } from '../responses/mcp-listing.js'
import type { ResponseRequest } from '../responses/request.js'
import type { WholeItem } from '../translate/host-item.js'

/** A call that the host answers, as its item was streamed: complete, and waiting for its result. */
export type HostedCall = McpCallItem | OutputItemByType[HostedItemType]

/** How far a running call is, in units of the tool's own. */
export interface ToolProgress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

export interface ToolContext {
  /** The request that the call belongs to: what it declares decides what may run. */
  readonly request: ResponseRequest
  /** Aborts when the result is not needed any more: the client left, or the response's time is over. */
  readonly signal: AbortSignal
  /** Tells the host, not the client, how far the call is. */
  report(progress: ToolProgress): void
  /**
   * Puts a complete item into the output: an image that the tool made, a file search that it did. The client is shown it
   * at once, before the result of the call; the model is not. Its size is the tool's to bound.
   *
   * A call whose result was lost may be run again ({@link Tool.isRepeatable}), and inserts again. Give the item an
   * `id` that follows from the call's (`${call.id}_image`), and it is there once.
   *
   * @returns whether the item is in the output. It is not, and nothing is checked, once the call or the response is over;
   *   nor if an earlier run of the response has inserted one of this `id`
   * @throws HarmonyResponsesError `bad_option` if it is not plain data with a type, if the response or the conversation
   *   before it has the `id`, or if it is what only a model or a client may say: a call or an approval request that
   *   waits for the client, the answer to one, an instruction
   */
  insert(item: WholeItem): boolean
}

/**
 * What answers hosted calls. A tool is a value; several can be given, and the first that answers a call runs it.
 *
 * A tool that fails is no failure of the response: what `run` throws goes to the host's `onError`, and the model sees
 * that its call failed. To tell the model why, return `{ error: { message } }`.
 */
export interface Tool {
  /**
   * Whether it is this tool that the call is for. Called for every waiting call; has no effect.
   *
   * Also called before the model is, with an empty call of each type of {@link HostedCall} but MCP's (no code, no
   * query, no command), and of an MCP server that replaces a built-in tool: the model is told of the built-in tools that
   * some tool answers, and of no others.
   */
  answers(call: HostedCall): boolean
  /**
   * The MCP servers that it is, by the labels under which requests declare them. Two tools of one host may not share a
   * label: the second one would never be called.
   */
  readonly serverLabels?: readonly string[]
  /** Runs the call. It has to end soon after its signal aborts. */
  run(call: HostedCall, context: ToolContext): Promise<CallResult>
  /**
   * Whether a call may run again that may have run already, because its process died. Asked before it runs again.
   * Without it no call is: the model reads that the outcome is unknown.
   */
  isRepeatable?(call: HostedCall, context: Pick<ToolContext, 'signal'>): boolean | Promise<boolean>
  /**
   * What the MCP servers of this request list, for the prompt and for the `mcp_list_tools` items. Called once, before
   * the model is. Servers are those that the host configured: nothing but the label is read of a request's own.
   */
  listings?(request: ResponseRequest, context: Pick<ToolContext, 'signal'>): Promise<readonly McpListing[]>
}
