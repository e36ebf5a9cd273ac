import type { CompleteItem } from '../../core/items/host/host-item.js'
import type { HostedItemType } from '../../core/recipients/builtin-tools.js'
import type { CallResult } from '../../core/responses/call-result.js'
import type { McpCallItem, OutputItemByType } from '../../core/responses/items.js'
import type { McpListing } from '../../core/responses/mcp-listing.js'
import type { ResponseRequest, UnknownTool } from '../../core/responses/request.js'

/** A call that the host answers, as its item was streamed: complete, and waiting for its result. */
export type HostedCall = McpCallItem | OutputItemByType[HostedItemType]

/** The progress of a running call, in the tool's own units. */
export interface ToolProgress {
  /** How much is done. */
  readonly progress: number
  /** How much there is. Unknown if absent. */
  readonly total?: number
  /** What is being done, in words. None if absent. */
  readonly message?: string
}

/** The result of an earlier call, as the model has read it. */
export interface EarlierResult {
  /** The tool that answered: `browser.open`. */
  readonly tool: string
  /** The text of its message. */
  readonly text: string
}

/** What a tool's `run` receives with the call. */
export interface ToolContext {
  /** The request of the call, whose declarations determine what may run. */
  readonly request: ResponseRequest
  /** The id of the response. Absent outside of a response. */
  readonly responseId?: string
  /** For whom it runs: no other owner may see what belongs to this one. Absent where all requests have the same owner. */
  readonly owner?: string
  /**
   * The arguments as the model wrote them, of which the item may show a part. Empty for a call that is not in the model's
   * context, such as an approved one.
   */
  readonly text: string
  /**
   * The results in the model's context, in its order: those of the whole conversation, unless it was shortened. They
   * are what a tool with a state has to go by, because any process can continue the conversation.
   */
  earlierResults(): readonly EarlierResult[]
  /** The calls that the model made before this one without having read their results: they run at the same time. */
  readonly before: readonly HostedCall[]
  /** Aborts once the result is no longer needed: the client left, or the response's time limit was reached. */
  readonly signal: AbortSignal
  /** Reports the call's progress to the host, not to the client. */
  report(progress: ToolProgress): void
  /**
   * Adds a complete item to the output: an image that the tool created, a file search that it ran. The client sees it
   * at once, before the result of the call; the model does not. The tool has to bound its size.
   *
   * A call whose result was lost may run again ({@link Tool.isRepeatable}), and insert again. An `id` derived from the
   * call's (`${call.id}_image`) prevents a duplicate.
   *
   * @returns whether the item is in the output. It is not, and nothing is checked, once the call or the response has
   * ended; nor if an earlier run of the response inserted one with this `id`
   * @throws HarmonyResponsesError `bad_option` if it is not plain data with a type, if the response or the conversation
   * before it has the `id`, or if only a model or a client may write such an item: a call or an approval request that
   * waits for the client, the answer to one, an instruction
   */
  insert(item: CompleteItem): boolean
}

/**
 * Answers hosted calls. A tool is a value; of several, the first that answers a call runs it.
 *
 * A failing tool does not fail the response: an error of `run` goes to the host's `onError`, and the model reads that
 * its call failed. To tell the model why, return `{ error: { message } }`.
 */
export interface Tool {
  /**
   * Whether this tool runs the call. Called for every waiting call; must have no side effect.
   *
   * Also called before the model, with an empty call of each type of {@link HostedCall} except MCP's (no code, no
   * query, no command), and of an MCP server that replaces a built-in tool: the model is taught only those built-in
   * tools that some tool answers.
   */
  answers(call: HostedCall): boolean
  /**
   * The labels of the MCP servers that it implements, under which requests declare them. Two tools of one host must not
   * share a label: the second one would never be called.
   */
  readonly serverLabels?: readonly string[]
  /**
   * Returns what it does not regard of a tool that a request declares, as paths within it: `user_location.city`. The host
   * is told by a diagnostic `ignored_parameter`. Called before the model with each declaration, also those of other tools.
   * Default: nothing.
   */
  ignores?(declaration: UnknownTool): readonly string[]
  /** Runs the call. It has to end soon after its signal aborts. */
  run(call: HostedCall, context: ToolContext): Promise<CallResult>
  /**
   * Whether to run a call again that may have run before its process died. Called before the repetition. Without this
   * method no call is repeated: the model reads that the outcome is unknown.
   */
  isRepeatable?(call: HostedCall, context: Pick<ToolContext, 'signal'>): boolean | Promise<boolean>
  /**
   * Returns until when a container is kept if no call uses it, in Unix seconds: one whose id the calls of the code interpreter
   * name. Undefined if this owner has none of this id. Without this method no client of Messages can continue a container.
   */
  containerExpiry?(id: string, owner: string): number | undefined
  /**
   * Returns the listings of this request's MCP servers, for the prompt and for the `mcp_list_tools` items. Called once,
   * before the model. The host configures the servers: only the label is read from the request's entries.
   */
  listings?(request: ResponseRequest, context: Pick<ToolContext, 'signal'>): Promise<readonly McpListing[]>
}
