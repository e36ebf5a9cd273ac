import { check } from '../errors.js'
import type { HarmonyHandler } from '../harmony/handler.js'
import type { HarmonyParser } from '../harmony/parser.js'
import { declareTools } from '../recipients/declared-tools.js'
import { type PolicyName, type RecipientPolicy, resolvePolicy } from '../recipients/policy.js'
import type { ResponseRequest } from '../responses/request.js'
import type { HostUsage } from '../tokens/token-source.js'
import type { TokenTable } from '../tokens/token-table.js'
import { checkList } from './check-list.js'
import { checkNames } from './check-names.js'
import type { CitationStage } from './citation-stage.js'
import type { Diagnostic } from './diagnostics.js'
import type { IdFactory } from './ids.js'
import type { McpListing } from './mcp-listing.js'
import { createPages } from './pages.js'
import { REASONING, type ReasoningOption } from './reasoning-forms.js'
import type { TracerFactory } from './tracer.js'

/** A call that the user approved: what the approval request said, and its id. */
export interface ApprovedCall {
  /** Id of the `mcp_approval_request` item of an earlier response. */
  readonly approvalRequestId: string
  readonly serverLabel: string
  readonly name: string
  readonly arguments: string
}

/** How a {@link Translator} is set up. Only `responseId` and `clock` are required: nothing here draws or reads them. */
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
  /** Token counts that only the host knows: of the first prompt. */
  readonly usage?: HostUsage
  /**
   * `live` (default): a call of the client's is announced at once and its arguments are streamed; one that is cut off
   * is never closed. `whole`: it is announced only once its arguments are whole; one that is cut off appears nowhere.
   * For clients that run calls they saw only the beginning of (LangChain).
   */
  readonly calls?: 'live' | 'whole'
  /** What recipients become: a preset's name or a table of your own. Default `openai`. */
  readonly policy?: RecipientPolicy | PolicyName
  /**
   * Whether the user has to approve the calls of a declared MCP server whose `require_approval` says nothing. Default:
   * what the policy says, which is `always`, as at OpenAI, but for `vllm`.
   */
  readonly mcpApproval?: RecipientPolicy['mcpApproval']
  /**
   * How the model's reasoning is shown. `raw`: as reasoning text, which few clients show. `summary`: as a summary, which
   * all of them show. `both`: either way. `hidden`: the item without its text. Default: `summary` where the request asks
   * for one (`reasoning.summary`), else `raw`.
   */
  readonly reasoning?: ReasoningOption
  /** Seals a reasoning item's text for `encrypted_content`, where the request includes it. */
  readonly sealReasoning?: (text: string, itemId: string) => string
  /** Turns citation marks into annotations: `urlCitations()` of `harmony-responses/citations`. Default: marks stay. */
  readonly citations?: CitationStage
  /** The tools of the declared MCP servers, as the servers listed them. Each gives an `mcp_list_tools` item, first. */
  readonly mcpListings?: readonly McpListing[]
  /** The calls that the user approved since the last response. Each gives an `mcp_call` item before the model's. */
  readonly approvedCalls?: readonly ApprovedCall[]
  /** Container of the code interpreter and the shell. Default: the one the request names, else an id is derived. */
  readonly containerId?: string
  /** Shows also the token counts of each model call, in the fields in which vLLM does. */
  readonly usageByTurn?: boolean
  /**
   * What a request means that does not say whether the response is to be stored: the `store` that is echoed then.
   * Default false, for hosts that store nothing; OpenAI's is true.
   */
  readonly store?: boolean
  /**
   * Lets a request ask for Harmony messages with `enable_response_messages`. They hold what the events may not: tool
   * results and reasoning as they were said (no reasoning where `reasoning` is `hidden`), and `inputMessages`. Default
   * false: the request's field is ignored.
   */
  readonly responseMessages?: boolean
  /** The prompt as messages, where a request may ask for them and does: see `responseMessages`. */
  readonly inputMessages?: readonly unknown[]
  /**
   * Take tool messages that the model seems to have sampled for the host's. Only for captures that did not keep the
   * difference: a model can make up a tool's answer.
   */
  readonly trustToolMessages?: boolean
  readonly onDiagnostic?: (diagnostic: Diagnostic) => void
  /**
   * Gets every error that ends the response or was thrown by an observing callback, as it was thrown: what a source or
   * a callback of the host's threw, an engine's failure, a chunk that is none. The client is told the text of an
   * `EngineError` and nothing of others. Default: errors that the client is not told of go to `console.error`.
   */
  readonly onError?: (error: unknown) => void
  /**
   * Whether a failure sends `error` before `response.failed`, as OpenAI's HTTP streams do. Default true. On a WebSocket
   * it has to be false: clients there take the second event for the answer to their next request.
   */
  readonly errorEvent?: boolean
  /** Which tokens every event came from: `traceTo(callback)` of `harmony-responses/trace`. */
  readonly trace?: TracerFactory
  /** A parser other than the native one, made for the translator's handler. See `officialParser`. */
  readonly parser?: (handler: HarmonyHandler) => HarmonyParser
}

/** Options of the pulling side. */
export interface TranslateOptions extends TranslatorOptions {
  /** Aborts the stream: the source is closed at once and the response fails. */
  readonly signal?: AbortSignal
}

/** What `typeof` has to say of every option that is given; of `other` it says nothing. */
const TYPES: Readonly<Record<string, readonly (keyof TranslateOptions)[]>> = {
  string: ['responseId', 'calls', 'containerId'],
  function: ['clock', 'ids', 'sealReasoning', 'citations', 'onDiagnostic', 'onError', 'trace', 'parser'],
  object: ['request', 'signal'],
  boolean: ['usageByTurn', 'trustToolMessages', 'errorEvent', 'store', 'responseMessages'],
  other: ['reasoning', 'usage', 'policy', 'mcpApproval', 'mcpListings', 'approvedCalls', 'inputMessages', 'tokenTable'],
}

/**
 * Checks what a type cannot.
 *
 * @throws HarmonyResponsesError `bad_option`, with what was expected and what came
 */
export function checkOptions(options: TranslateOptions): void {
  checkType('options', 'object', options)
  for (const [type, names] of Object.entries(TYPES)) {
    for (const name of names) if (type !== 'other' && options[name] !== undefined) checkType(name, type, options[name])
  }
  checkNames('options', options, Object.values(TYPES).flat())
  const { calls = 'live', citations, reasoning = 'raw', request = {}, signal, tokenTable, usage = {} } = options
  // A fetch Request has no tools and no model: the response would be to an empty one.
  check(!('json' in request), 'request', 'the parsed body (await request.json())', request)
  check(signal === undefined || 'aborted' in signal, 'signal', 'an AbortSignal', signal)
  // Nothing to read gives nothing to show; what makes a stage gives a function.
  const shown: unknown = citations?.(
    { held: '', tokens: [], length: 0 },
    { text: '', tokens: [], isLast: true },
    createPages(),
  )
  check(citations === undefined || Array.isArray(shown), 'citations', 'urlCitations()', citations)
  const isTable = tokenTable === undefined || Object(tokenTable).text !== undefined
  check(isTable, 'tokenTable', 'await loadTokenTable()', tokenTable)
  check(options.responseId !== '', 'responseId', 'a non-empty string', options.responseId)
  check(calls === 'live' || calls === 'whole', 'calls', "'live' or 'whole'", calls)
  check(Object.hasOwn(REASONING, reasoning), 'reasoning', `one of ${Object.keys(REASONING).join(', ')}`, reasoning)
  checkList('mcpListings', options.mcpListings, ['serverLabel'])
  for (const { serverLabel, tools, error } of options.mcpListings ?? []) {
    checkList(`mcpListings of ${serverLabel}: tools`, tools, ['name'])
    check(typeof (error ?? '') === 'string', `mcpListings of ${serverLabel}: error`, 'a string', error)
  }
  checkList('approvedCalls', options.approvedCalls, ['approvalRequestId', 'serverLabel', 'name', 'arguments'])
  checkList('inputMessages', options.inputMessages, [])
  const include: unknown = request.include ?? []
  const isList = Array.isArray(include) && include.every((what) => typeof what === 'string')
  check(isList, 'request.include', 'an array of strings', include)
  checkUsage('usage', usage)
  declareTools(request.tools)
  resolvePolicy(options.policy, options.mcpApproval)
}

function checkType(what: string, type: string, value: unknown): void {
  const isRight = typeof value === type && value !== null && !Array.isArray(value)
  check(isRight, what, `${type === 'object' ? 'an' : 'a'} ${type}`, value)
}

const COUNTS: readonly (keyof HostUsage)[] = ['inputTokens', 'cachedTokens', 'outputTokens', 'reasoningTokens']

/** The counts are whole numbers of tokens. */
export function checkUsage(what: string, usage: unknown): void {
  checkType(what, 'object', usage)
  checkNames(what, usage as object, COUNTS)
  for (const [name, count] of Object.entries(usage as object)) {
    check(
      count === undefined || (Number.isSafeInteger(count) && count >= 0),
      `${what}.${name}`,
      'a whole number of tokens',
      count,
    )
  }
}

const REASONS: readonly unknown[] = ['stop', 'max_output_tokens', 'content_filter']

/** Engines call it `length`; the API does not. */
export function checkReason(reason: unknown): void {
  check(reason === undefined || REASONS.includes(reason), 'reason', `one of ${REASONS.join(', ')}`, reason)
}
