import type { CitationStage } from '../citations/citation-stage.js'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { HarmonyHandler } from '../harmony/handler.js'
import type { HarmonyParser } from '../harmony/parser.js'
import type { PolicyName, RecipientPolicy } from '../recipients/policy.js'
import type { CitableFiles, CitedPage } from '../responses/call-result.js'
import type { McpListing } from '../responses/mcp-listing.js'
import type { ResponseRequest } from '../responses/request.js'
import type { HostUsage } from '../tokens/token-source.js'
import type { TokenTable } from '../tokens/token-table.js'
import type { TracerFactory } from '../trace/tracer.js'
import type { IdFactory } from './ids.js'
import type { ReasoningVisibility } from './reasoning-forms.js'

/** A call of an MCP server's tool, as its approval request shows it to the user. */
export interface RequestedCall {
  /** The `server_label` of the MCP server in the request. */
  readonly serverLabel: string
  /** The tool's name on that server. */
  readonly name: string
  /** The model's arguments, usually JSON. */
  readonly arguments: string
}

/** A call that the user approved, with the fields and the id of its approval request. */
export interface ApprovedCall extends RequestedCall {
  /** Id of the `mcp_approval_request` item of an earlier response. */
  readonly approvalRequestId: string
}

/**
 * Options of a {@link Translator}. Only `responseId` and `clock` are required, because the core has neither randomness
 * nor a clock.
 */
export interface TranslatorOptions {
  /** Id of the response, usually `resp_` and hexadecimal digits. */
  readonly responseId: string
  /** Unix time in whole seconds. Called for `created_at` and `completed_at`. */
  readonly clock: () => number
  /** The Responses create request: it is echoed in the response, and its `tools` and `include` steer the stream. */
  readonly request?: ResponseRequest | (ResponseRequest & { readonly [parameter: string]: unknown })
  /** Text of the token ids. Required as soon as ordinary ids are pushed. */
  readonly tokenTable?: TokenTable
  /** Ids of items and calls. Default: derived from the response id and a running number. */
  readonly ids?: IdFactory
  /** Token counts of the first prompt, which only the host knows. */
  readonly usage?: HostUsage
  /**
   * How calls that the client runs are streamed. `live` (default): a call is added at once and its arguments are
   * streamed; a call that is cut off never gets `output_item.done`. `whole`: a call is added only when its arguments
   * are complete; a call that is cut off appears nowhere. For clients that run incomplete calls (LangChain).
   */
  readonly calls?: 'live' | 'whole'
  /** The table that classifies recipients: a preset's name or a table of your own. Default `openai`. */
  readonly policy?: RecipientPolicy | PolicyName
  /**
   * Whether the user has to approve the calls of a declared MCP server without `require_approval`. Default: the
   * policy's setting, which is `always`, as at OpenAI, except for `vllm`.
   */
  readonly mcpApproval?: RecipientPolicy['mcpApproval']
  /**
   * How the model's reasoning is sent. `raw`: as reasoning text, which few clients display. `summary`: as a summary,
   * which all of them display. `both`: as both. `hidden`: the item without its text. Default: `summary` if the request
   * asks for one (`reasoning.summary`), else `raw`.
   */
  readonly reasoning?: ReasoningVisibility
  /** Seals a reasoning item's text for `encrypted_content`, if the request includes it. */
  readonly sealReasoning?: (text: string, itemId: string) => string
  /**
   * Seals an approval request. The result becomes the item's id, the only part that the client's answer repeats. Each
   * request needs a distinct id: seal `itemId` too, the id that the item would have had.
   */
  readonly sealApproval?: (call: RequestedCall, itemId: string) => string
  /** Turns citation marks into annotations: `urlCitations()` of `harmony-responses/citations`. Default: marks stay. */
  readonly citations?: CitationStage
  /**
   * The tools that the declared MCP servers listed. Each listing becomes an `mcp_list_tools` item, before all others.
   */
  readonly mcpListings?: readonly McpListing[]
  /**
   * Listings of declared MCP servers from the conversation before this response. They become no items but, like
   * `mcpListings`, determine which tools exist and which are read-only.
   */
  readonly knownListings?: readonly McpListing[]
  /** The files that searches before this response found. The model can cite them by the marks that it has read. */
  readonly knownFiles?: CitableFiles
  /**
   * The pages that the browser showed before this response, the last one last: the model can cite them, and refer to them
   * by their cursors.
   */
  readonly knownPages?: readonly CitedPage[]
  /** The calls that the user approved since the last response. Each becomes an `mcp_call` item before the model's. */
  readonly approvedCalls?: readonly ApprovedCall[]
  /** The id of the container in which the code interpreter ran before this response: it goes on there. */
  readonly knownContainerId?: string
  /**
   * Container id of the code interpreter and the shell. Default: the one that the request names, else the known one of the
   * code interpreter, else a derived id.
   */
  readonly containerId?: string
  /** Also reports the token counts of each model call, in vLLM's fields. */
  readonly usageByTurn?: boolean
  /**
   * The `store` value to echo if the request does not set it. Default false, for hosts that store nothing; OpenAI's
   * default is true.
   */
  readonly store?: boolean
  /**
   * Lets a request ask for Harmony messages with `enable_response_messages`. They contain data that the events may
   * omit: raw tool results, raw reasoning (unless `reasoning` is `hidden`), and `inputMessages`. Default false: the
   * request's field is ignored.
   */
  readonly responseMessages?: boolean
  /** The prompt as messages, returned if the request may and does ask for them: see `responseMessages`. */
  readonly inputMessages?: readonly unknown[]
  /**
   * Treats tool messages that arrive as sampled tokens as the host's. A model can fabricate a tool's answer, so use it
   * only for captures that lost the distinction.
   */
  readonly trustToolMessages?: boolean
  /** Receives each {@link Diagnostic} when it occurs. An exception of it goes to `onError`, and changes nothing. */
  readonly onDiagnostic?: (diagnostic: Diagnostic) => void
  /**
   * Receives, unchanged, every error that ends the response or that an observing callback threw: exceptions of a source
   * or of the host's callbacks, engine failures, invalid chunks. The client sees only the text of an
   * `EngineError` about its request. Default: errors that the client does not see go to `console.error`.
   */
  readonly onError?: (error: unknown) => void
  /**
   * Whether a failure emits `error` before `response.failed`, as OpenAI's HTTP streams do. Default true. Set it to
   * false on a WebSocket, where clients would read the second event as the answer to their next request.
   */
  readonly errorEvent?: boolean
  /** Reports which tokens each event came from: `traceTo(callback)` of `harmony-responses/trace`. */
  readonly trace?: TracerFactory
  /** Creates a custom parser that reports to the translator's handler. See `officialParser`. */
  readonly parser?: (handler: HarmonyHandler) => HarmonyParser
}

/** Options of the pulling side. */
export interface TranslateOptions extends TranslatorOptions {
  /** Aborts the stream: closes the source at once and fails the response. */
  readonly signal?: AbortSignal
}
