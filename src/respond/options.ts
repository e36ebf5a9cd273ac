import type { TokenEngine } from '../engine/engine.js'
import type { Addition, Entry } from '../journal/entry.js'
import type { EarlierPrompt } from '../prompt/known-conversation.js'
import type { KnownTexts } from '../prompt/known-texts.js'
import type { PromptOptions } from '../prompt/messages-of.js'
import type { ResponseRequest } from '../responses/request.js'
import type { ResponseObject } from '../responses/response.js'
import type { Pause } from '../slices.js'
import type { TokenTable } from '../tokens/token-table.js'
import type { Tool, ToolContext, ToolProgress } from '../tools/tool.js'
import type { WholeItem } from '../translate/host-item.js'
import type { ApprovedCall, TranslatorOptions } from '../translate/options/options.js'
import type { ApprovalPolicy } from './approval.js'
import type { Offered } from './offered.js'

/** Seals a summary: `sealCompaction` of `harmony-responses/seal`. */
export type SealCompaction = (summary: string, itemId: string) => string

/** What a response may take. Tokens and tool calls are limited by the request. */
export interface RespondLimits {
  /** How often the model is called. Default 32. */
  readonly turns?: number
  /**
   * How many seconds it may take, by `clock`, from its first entry on. Asked before each step of the model and each
   * call of a tool; what is running is not interrupted. Default: any number.
   */
  readonly seconds?: number
  /** How many tokens `countInputTokens` counts: a longer prompt is refused. Default 4,194,304. */
  readonly countedTokens?: number
}

/** What the model wrote does not fit what the request says of it. */
export interface InvalidOutput {
  readonly itemId: string
  /** What it does not fit: `tools[2].parameters`, `text.format.schema`. */
  readonly what: string
  /** What is wrong, and where. The first of them, if there are many. */
  readonly errors: readonly {
    /** A JSON pointer into what the model wrote. */
    readonly path: string
    readonly message: string
    /** A JSON pointer to the keyword of the schema: `/properties/a/multipleOf`. Absent for what is no JSON. */
    readonly keyword?: string
  }[]
}

/** What a response became. */
export interface EndedResponse {
  /** As it is sent. */
  readonly response: ResponseObject
  /** The ids that followed its prompt: for a later request's `history`. */
  readonly transcript: readonly number[]
}

/** A response that is open, for its host. */
export interface ResponseHandle {
  readonly id: string
  /** With its input, and without the secrets of its tools. */
  readonly request: ResponseRequest
  /** Aborts when the response is over, however it ends. */
  readonly signal: AbortSignal
  /**
   * Puts a complete item into the output, before the next token or result that comes: also into the middle of a message.
   * The client is shown it at once, and the model is not.
   *
   * A process that goes on from the entries is told anew that the response is open. Give items that you would insert again an
   * `id`, and they are there once.
   *
   * @returns whether the item is in the output. It is not, and nothing is checked, once the response is over; nor if an
   *   earlier run of the response has inserted one of this `id`
   * @throws HarmonyResponsesError `bad_option`, as {@link ToolContext.insert}
   */
  insert(item: WholeItem): boolean
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
   * Seals a reasoning item's text for `encrypted_content`, if the request includes it: `seal` of `harmony-responses/seal`.
   * `form` says how the messages since the last seal were sampled, if rendering their items would give other ids, and the
   * response is not stored. Opened, it belongs into `history`, beside the text.
   */
  readonly sealReasoning?: (text: string, itemId: string, form?: string) => string
  /**
   * Seals the `form` of what the model wrote after its last reasoning, as the `encrypted_content` of a reasoning item
   * without a text that ends the output. Without it there is no such item, and what it would tell of is rendered from its
   * items in the next prompt.
   */
  readonly sealForm?: (form: string, itemId: string) => string
  /**
   * How the client sends the arguments of its calls back: `text`, as they were sent (default), or `objects`, parsed, as clients
   * of Messages do. Their spelling is lost then, and seals tell of it.
   */
  readonly returnedArguments?: 'text' | 'objects'
}

/** What events follow from entries by, besides the entries. Functions cannot be in a journal. */
export interface TranslateEntriesOptions extends Translated {
  readonly tokenTable: TokenTable
}

/** The options of the prompt that mean the same here. */
type Prompted = Pick<PromptOptions, 'history' | 'images' | 'identity' | 'knowledgeCutoff'>

/** How a response is made. Give the same options to go on from entries: functions cannot be in a journal. */
export interface RespondOptions extends Translated, Prompted {
  readonly engine: TokenEngine
  readonly tokenTable: TokenTable
  /**
   * What answers hosted calls. The first tool that answers a call runs it. The model is told of the built-in tools that
   * one of them answers, and of no others: a diagnostic `unhosted_tool` says which are left out.
   */
  readonly tools?: readonly Tool[]
  /** Tools and instructions of the operator's, besides those of the request. Default: none. */
  readonly offered?: Offered
  /**
   * Which calls of MCP servers and of the host's functions the user has to approve, whatever the request says. Default: what
   * requests say, and of offered tools none.
   */
  readonly approval?: ApprovalPolicy
  /**
   * Whether the client can be asked for an approval. With `refuse`, the model is not told of offered tools that need one: a
   * diagnostic `unapprovable_tool` says which; a request that declares one itself is refused. Default `ask`.
   */
  readonly approvals?: 'ask' | 'refuse'
  /**
   * How many searches of the web may run. Those beyond it fail, and the model reads why. Its first entry has it: a run that goes
   * on from entries goes by what these say. Default: any number.
   */
  readonly mostSearches?: number
  /** Id of the response. Default: a random one. */
  readonly responseId?: string
  /** Unix time in whole seconds, for timestamps and for the date that the model is told. Default: the system's. */
  readonly clock?: () => number
  readonly limits?: RespondLimits
  /**
   * Waits until other work was done: called between two slices, of some milliseconds each, of what takes long, such as
   * the prompt of a long conversation. Default: a turn of the event loop.
   */
  readonly pause?: Pause
  /** The texts of tools and instructions that were encoded before, which all responses may share. Default: none. */
  readonly known?: KnownTexts
  /** Seals the summary of a conversation that ends in `compaction_trigger`. Without it, such a request is refused. */
  readonly sealCompaction?: SealCompaction
  /** The calls that the user approved since the last response, from the host's store or its seal. */
  readonly approvedCalls?: readonly ApprovedCall[]
  /**
   * Writes entries, one after the other. It is awaited before anything that follows from them is yielded or started, but for
   * the model's next steps: what the model gives meanwhile (at most 64 entries) is written by the next call, so that a slow
   * store does not slow the model down. There is one call at a time. If it throws, the response ends there and its stream
   * throws the error.
   *
   * @param ended - what the response became, if the last of the entries ends it
   */
  readonly append?: (entries: readonly Entry[], ended?: EndedResponse) => void | Promise<void>
  /**
   * What the response adds to the conversations that the host keeps, for its first entry. Plain JSON, without secrets.
   * Default: all of `input`.
   */
  readonly addition?: Addition
  /**
   * What was rendered before of the conversation, of which `input` and `history` begin with what they were then. It saves
   * time, and changes no id.
   */
  readonly earlier?: EarlierPrompt
  /**
   * What was written before, by another run of the same response. The stream goes on after it. Entries do not hold the
   * conversation: give the request with the same `input`, and the same `history`. A prompt that is not the same is a
   * HarmonyResponsesError `prompt_differs` before the first event.
   */
  readonly entries?: readonly Entry[]
  /** Aborts the response: engine and tools are stopped before their next step, and `response.failed` is emitted. */
  readonly signal?: AbortSignal
  /**
   * Called when the response is open: written, and about to go on. Again in each process that goes on from its entries;
   * not for a compaction, nor with `generate: false`, where nothing but their own output may come. Keep the handle to put
   * items into the output; what it throws or rejects with goes to `onError`.
   */
  readonly onOpen?: (response: ResponseHandle) => void | Promise<void>
  /** How far a running call is. The client is not told. */
  readonly onProgress?: (itemId: string, progress: ToolProgress) => void
  /**
   * What becomes of what the engine cannot hold of a function with `strict: true` or a format: `relax` leaves out just
   * that, reports it (`relaxed_schema`), holds all else, and checks what the model wrote against all of it; `refuse`
   * refuses the request. A function that does not say `strict` is never refused. Default `relax`.
   */
  readonly onUnsupportedConstraint?: 'relax' | 'refuse'
  /** Called with output that does not fit its schema. The client is sent it as it is. */
  readonly onInvalidOutput?: (invalid: InvalidOutput) => void
  /**
   * Called with the string of the request's `stop` that ends an answer: the response does not say which it was. Not called
   * again by a run that goes on from entries behind it.
   */
  readonly onStopString?: (string: string) => void
  /** Receives, unchanged, what the engine, the tools and other code of the host threw. Default: `console.error`. */
  readonly onError?: (error: unknown) => void
}
