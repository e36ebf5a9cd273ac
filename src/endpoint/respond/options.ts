import type { CompleteItem } from '../../core/items/host/host-item.js'
import type { ApprovedCall, TranslatorOptions } from '../../core/options/options.js'
import type { CitableFiles } from '../../core/responses/call-result.js'
import type { ResponseRequest } from '../../core/responses/request.js'
import type { ResponseObject } from '../../core/responses/response.js'
import type { TokenTable } from '../../core/tokens/token-table.js'
import type { TracerFactory } from '../../core/trace/tracer.js'
import type { TokenEngine } from '../../engines/contract/engine.js'
import type { Pause } from '../../shared/slices.js'
import type { ConversationAddition, Entry } from '../journal/entry.js'
import type { EarlierPrompt } from '../prompt/known-conversation.js'
import type { PromptOptions } from '../prompt/prompt-messages.js'
import type { TextCache } from '../prompt/text-cache.js'
import type { Tool, ToolContext, ToolProgress } from '../tools/tool.js'
import type { ApprovalPolicy } from './calls/approval.js'
import type { OperatorOffer } from './offered.js'

/** Seals a summary: `sealCompaction` of `harmony-responses/seal`. */
export type SealCompaction = (summary: string, itemId: string) => string

/** Limits of a response. The request limits tokens and tool calls. */
export interface RespondLimits {
  /** The maximum number of model calls. Default 32. */
  readonly turns?: number
  /**
   * The time limit in seconds, by `clock`, from its beginning on. Checked before each step of the model and each tool
   * call; running work is not interrupted. Default: none.
   */
  readonly seconds?: number
  /** The maximum number of tokens that `countInputTokens` counts: a longer prompt is refused. Default 4,194,304. */
  readonly countedTokens?: number
}

/** Output of the model that violates a schema or format of the request. */
export interface InvalidOutput {
  /** The id of the item with the output. */
  readonly itemId: string
  /** The violated parameter: `tools[2].parameters`, `text.format.schema`. */
  readonly what: string
  /** The problems with their places. Only the first ones, if there are many. */
  readonly errors: readonly {
    /** A JSON pointer into the output. */
    readonly path: string
    readonly message: string
    /** A JSON pointer to the keyword of the schema: `/properties/a/multipleOf`. Absent if the output is not JSON. */
    readonly keyword?: string
  }[]
}

/** An ended response. */
export interface EndedResponse {
  /** As it is sent. */
  readonly response: ResponseObject
  /** The ids after its prompt: for a later request's `history`. */
  readonly transcript: readonly number[]
  /** The files that its searches found, for the same entry of that `history`. None if absent. */
  readonly files?: CitableFiles | undefined
}

/** An open response, for its host. */
export interface ResponseHandle {
  /** The id of the response. */
  readonly id: string
  /** The request with its input, and without the secrets of its tools. */
  readonly request: ResponseRequest
  /** Aborts when the response ends, in any way. */
  readonly signal: AbortSignal
  /**
   * Adds a complete item to the output before the next token or result, possibly in the middle of a message. The client
   * sees it at once, the model does not.
   *
   * A process that resumes from the entries is told again that the response is open. An `id` keeps items that you would
   * insert again from being duplicated.
   *
   * @returns whether the item is in the output. It is not, and nothing is checked, once the response has ended; nor if
   * an earlier run of the response inserted one with this `id`
   * @throws HarmonyResponsesError `bad_option`, like {@link ToolContext.insert}
   */
  insert(item: CompleteItem): boolean
}

/** The options of the translator that mean the same here. */
export const TRANSLATED = [
  'policy',
  'mcpApproval',
  'reasoning',
  'sealReasoning',
  'sealApproval',
  'citations',
  'containerId',
  'calls',
  'usageByTurn',
  'store',
  'errorEvent',
  'onDiagnostic',
  'onError',
] as const

interface Translated extends Omit<Pick<TranslatorOptions, (typeof TRANSLATED)[number]>, 'sealReasoning'> {
  /**
   * Seals a reasoning item's text for `encrypted_content`, if the request includes it: `seal` of
   * `harmony-responses/seal`. `form` records how the messages since the last seal were sampled, if rendering their
   * items would yield other ids and the response is not stored. Once opened, it belongs in `history`, beside the text.
   */
  readonly sealReasoning?: (text: string, itemId: string, form?: string) => string
  /**
   * Seals the `form` of messages after the last reasoning, as the `encrypted_content` of a reasoning item without a
   * text that ends the output. Without this function there is no such item, and the next prompt renders these messages
   * from their items.
   */
  readonly sealForm?: (form: string, itemId: string) => string
  /**
   * How the client sends the arguments of its calls back: `text`, unchanged (default), or `objects`, parsed, like
   * clients of Messages. That loses their spelling, which seals then record.
   */
  readonly returnedArguments?: 'text' | 'objects'
}

/** The options that determine the events of entries. A journal cannot contain functions. */
export interface TranslateEntriesOptions extends Translated {
  /** The vocabulary, by which ids become text. */
  readonly tokenTable: TokenTable
  /** Reports which tokens each event came from: `traceRecords(callback)` of `harmony-responses/trace`. */
  readonly trace?: TracerFactory
}

/** The options of the prompt that mean the same here. */
type Prompted = Pick<PromptOptions, 'history' | 'images' | 'identity' | 'knowledgeCutoff'>

/** Options of {@link respond}. Pass the same ones to resume from entries: a journal cannot contain functions. */
export interface RespondOptions extends Translated, Prompted {
  /** The engine that runs the model. */
  readonly engine: TokenEngine
  /** The vocabulary of the prompt and of the answer. */
  readonly tokenTable: TokenTable
  /**
   * Returns the date that the model is told, `YYYY-MM-DD`, at a time in Unix seconds; undefined: none. Default: the date in
   * UTC. A conversation keeps the date of its beginning: another one at midnight would change its first message, and the
   * engine would read all of it again.
   */
  readonly date?: (at: number) => string | undefined
  /** When the conversation began, in Unix seconds. Default: with this response. */
  readonly began?: number
  /**
   * The tools that answer hosted calls. The first that answers a call runs it. The model is taught only the built-in
   * tools that one of them answers: a diagnostic `unhosted_tool` names those left out.
   */
  readonly tools?: readonly Tool[]
  /** The owner of the response, for {@link ToolContext.owner}. Default: none. */
  readonly owner?: string
  /** Tools and instructions of the operator, in addition to those of the request. Default: none. */
  readonly offered?: OperatorOffer
  /**
   * Which calls of MCP servers and of the host's functions need the user's approval, whatever the request says.
   * Default: as requested, and none of offered tools.
   */
  readonly approval?: ApprovalPolicy
  /**
   * Whether the client can be asked for an approval. With `refuse`, the model is not taught offered tools that need
   * one: a diagnostic `unapprovable_tool` names them; a request that declares one itself is refused. Default `ask`.
   */
  readonly approvals?: 'ask' | 'refuse'
  /**
   * The maximum number of web searches. Further ones fail, and the model reads why. The first entry records it: a run
   * that resumes from entries uses their value. Default: no limit.
   */
  readonly maxSearches?: number
  /** The id of the response. Default: a random one. */
  readonly responseId?: string
  /** Unix time in whole seconds, for timestamps and for the date in the prompt. Default: the system's. */
  readonly clock?: () => number
  /** The limits of the response. Each has a default. */
  readonly limits?: RespondLimits
  /**
   * How often an engine that fails in the middle of the response is asked again, for the rest: not before its first token,
   * nor if the request is at fault, nor where the engine cannot continue. Default 2; 0 fails the response at once.
   */
  readonly engineRestarts?: number
  /**
   * Waits before such an engine is asked again: 500 ms at first, doubled each time up to 30,000, or as long as the engine
   * asks, up to as much. The promise should resolve early if the signal aborts. Default: a timer.
   */
  readonly delay?: (ms: number, signal: AbortSignal) => Promise<void>
  /**
   * Waits until other work has run: called between slices, of some milliseconds each, of long work such as rendering
   * the prompt of a long conversation. Default: a turn of the event loop.
   */
  readonly pause?: Pause
  /** A cache of encoded texts of tools and instructions, which all responses may share. Default: none. */
  readonly known?: TextCache
  /** Seals the summary of a conversation that ends in `compaction_trigger`. Without it, such a request is refused. */
  readonly sealCompaction?: SealCompaction
  /**
   * The calls that the user approved since the last response, from the host's store or its seal, in any order: they run
   * in the order in which the conversation has them.
   */
  readonly approvedCalls?: readonly ApprovedCall[]
  /**
   * Writes entries in order. It is awaited before anything that follows from them is yielded or started, except for the
   * model's next steps: tokens that arrive meanwhile (at most 64 entries) are written by the next call, so that a slow
   * store does not slow the model down. There is one call at a time. If it throws, the response ends there and its
   * stream throws the error.
   *
   * @param ended - the ended response, if the last of the entries ends it
   */
  readonly append?: (entries: readonly Entry[], ended?: EndedResponse) => void | Promise<void>
  /**
   * The response's addition to the conversations that the host stores, for its first entry. Plain JSON, without
   * secrets. Default: all of `input`.
   */
  readonly addition?: ConversationAddition
  /**
   * The earlier rendering of the conversation, if `input` and `history` begin as they did then. It saves time, and
   * changes no id.
   *
   * @internal
   */
  readonly earlier?: EarlierPrompt
  /**
   * Entries that another run of the same response wrote. The stream continues after them. They do not contain the
   * conversation: pass the request with the same `input`, and the same `history`. A different prompt is a
   * HarmonyResponsesError `prompt_differs` before the first event.
   */
  readonly entries?: readonly Entry[]
  /**
   * Resolves when it is the response's turn. Until then it is queued: checked, written and open to its readers, with
   * `response.created` and `response.queued`. If it rejects, the response fails. Default: it begins at once.
   */
  readonly admitted?: PromiseLike<unknown>
  /** Aborts the response: engine and tools stop before their next step, and `response.failed` is emitted. */
  readonly signal?: AbortSignal
  /**
   * Called when the response is open: written, and about to continue. Called again in each process that resumes from
   * its entries; not for a compaction, nor with `generate: false`, whose output contains nothing else. Keep the handle
   * to insert items into the output; an error or rejection goes to `onError`.
   */
  readonly onOpen?: (response: ResponseHandle) => void | Promise<void>
  /** Reports the progress of a running call, to the host only. */
  readonly onProgress?: (itemId: string, progress: ToolProgress) => void
  /**
   * How to treat parts of a function with `strict: true`, or of a format, that the engine cannot enforce: `relax` drops
   * just those, reports it (`relaxed_schema`), enforces the rest, and checks the output against the whole; `refuse`
   * refuses the request. A function without `strict` is never refused. Default `relax`.
   */
  readonly onUnsupportedConstraint?: 'relax' | 'refuse'
  /** Called with output that violates its schema. The client receives it unchanged. */
  readonly onInvalidOutput?: (invalid: InvalidOutput) => void
  /**
   * Called with the string of the request's `stop` that ended an answer, which the response does not report. Not called
   * again by a run that resumes after it.
   */
  readonly onStopString?: (string: string) => void
  /** Receives, unchanged, errors of the engine, the tools and other code of the host. Default: `console.error`. */
  readonly onError?: (error: unknown) => void
}
