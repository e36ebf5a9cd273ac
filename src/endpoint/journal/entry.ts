import type { Failure } from '../../core/completion/failure.js'
import type { CompleteItem } from '../../core/items/host/host-item.js'
import type { ApprovedCall, TranslatorOptions } from '../../core/options/options.js'
import type { CallResult, CitableFiles, CitedPage } from '../../core/responses/call-result.js'
import type { InputItem } from '../../core/responses/input-items.js'
import type { McpListing } from '../../core/responses/mcp-listing.js'
import type { ResponseRequest, UnknownTool } from '../../core/responses/request.js'
import type { EndReason, HarmonyToken, HostUsage } from '../../core/tokens/token-source.js'
import type { EngineCapabilities } from '../../engines/contract/constraint.js'
import type { HistoryEntry } from '../prompt/history.js'

/*
 * A response is recorded as its inputs, from which its events follow. Entries are plain data in chronological order,
 * and each is written before anything that follows from it is shown.
 */

/**
 * The version of the rules by which events follow from entries. Raised whenever the same entries yield other events.
 */
export const BEHAVIOR_VERSION = 6

/**
 * The part that a response adds to its conversation. A store that keeps each part has the whole conversation by
 * following `previous`.
 */
export interface ConversationAddition {
  /** The response that it continues, if the host's store has it. */
  readonly previous?: string
  /** The items since then. */
  readonly input: readonly InputItem[]
  /** The host's record of their tokens: transcripts of other responses, and contents of seals. None if absent. */
  readonly history?: readonly StoredHistoryEntry[]
}

/** `HistoryEntry` in plain JSON. */
export type StoredHistoryEntry = HistoryEntry<readonly number[]>

/**
 * The first prompt: not its ids, which repeat the conversation, but all that rendering it again needs besides the
 * conversation and the operator's settings (the policy), and a digest to verify the result.
 */
export interface PromptRecord {
  /** How many ids it has, excluding the `<|start|>assistant` that begins every turn. */
  readonly tokens: number
  /** A hash of the ids: 16 hexadecimal digits. */
  readonly digest: string
  /** The date in the prompt, `YYYY-MM-DD`. None if absent. */
  readonly date?: string
  /** The built-in tools that the host runs. */
  readonly hosted: readonly string[]
  /**
   * The request's own `tools`, if the conversation declares others: those of `additional_tools` are taught at their
   * items.
   */
  readonly tools?: readonly UnknownTool[]
  /** Listings of servers that differ from those in the conversation. None if absent. */
  readonly listings?: readonly McpListing[]
  /** The option of `respond`; `seen` if the model of the engine gets the images. */
  readonly images?: string
  /** The option of `respond`: who the model is told to be. Its default if absent. */
  readonly identity?: string
  /** The option of `respond`: the month that the model is told. Its default if absent. */
  readonly knowledgeCutoff?: string
}

/**
 * The operator's additions to a request, for the model only. The response echoes the request without them; everything
 * else uses the request with them.
 */
export interface OperatorAdditions {
  /** Tools that the request does not declare, after its own. None if absent. */
  readonly tools?: readonly UnknownTool[]
  /** Instructions before its own. None if absent. */
  readonly instructions?: string
  /** The reasoning effort, if the request names none. `medium` if absent. */
  readonly effort?: 'low' | 'medium' | 'high'
  /** Whether an `allowed_tools` that does not name these tools leaves them allowed. */
  readonly isExempt?: true
  /**
   * By label, the tools of declared servers whose calls need an approval, `*` for all. Overrides the request's setting.
   */
  readonly asks?: { readonly [label: string]: readonly string[] }
}

/** Opens the response: all that its events and its first prompt depend on. */
export interface OpenEntry extends ConversationAddition {
  readonly type: 'open'
  /** The {@link BEHAVIOR_VERSION} of the library that wrote it. Entries of another one are refused. */
  readonly behaviour: number
  /** The id of the response. */
  readonly responseId: string
  /**
   * The request without its input and without secrets. Its `tools` are all that its conversation declares, and each
   * function states whether it is strict.
   */
  readonly request: ResponseRequest
  /** The operator's additions. None if absent. */
  readonly operator?: OperatorAdditions
  /** What renders the first prompt again. */
  readonly prompt: PromptRecord
  /** Whether the prompt asks for a summary: the response compacts the conversation and does nothing else. */
  readonly isCompaction?: true
  /** Whether the response waits for its turn: a `begin` entry follows. */
  readonly isQueued?: true
  /** Whether nothing is generated: the response only serves as the start of a later one. */
  readonly isPreparation?: true
  /** The number of input tokens of a turn above which the conversation is compacted. Unlimited if absent. */
  readonly compactAbove?: number
  /** Whether the conversation is a single message, which is kept: no compaction before the first turn. */
  readonly isOneMessage?: true
  /** The maximum number of web searches. Unlimited if absent. */
  readonly maxSearches?: number
  /** The engine's capabilities, if it was asked. */
  readonly capabilities?: Omit<EngineCapabilities, 'fit'>
  /**
   * The parameters to which the engine constrains bodies: `tools[2].parameters`, `text.format.schema`. None if absent.
   */
  readonly constrained?: readonly string[]
  /**
   * The parameters for which only the type is enforced, because the request's schemas are too large together. None if
   * absent.
   */
  readonly typeOnly?: readonly string[]
  /** The allowed recipients of the call that the request demands, if the model's choice is limited. */
  readonly callees?: readonly string[]
  /** What the declared MCP servers listed for this response. */
  readonly listings: readonly McpListing[]
  /** Listings of servers that the conversation already contains: names and annotations. None if absent. */
  readonly knownListings?: readonly McpListing[]
  /** The files that searches in the conversation found, if their marks become citations. None if absent. */
  readonly knownFiles?: CitableFiles
  /** The pages that the browser showed in the conversation, the last one last. None if absent. */
  readonly knownPages?: readonly CitedPage[]
  /** The container of the latest call of the code interpreter in the conversation. None if absent. */
  readonly knownContainerId?: string
  /** The calls that the user approved, which run first. */
  readonly approvedCalls: readonly ApprovedCall[]
}

/** A queued response has its turn. */
export interface BeginEntry {
  readonly type: 'begin'
}

/** Calls the model with the prompt, the transcript so far, and `<|start|>assistant`. */
export interface TurnEntry {
  readonly type: 'turn'
  /**
   * The ids of a message that the host writes first, because the model did not do what the request demands. None if
   * absent.
   */
  readonly reminder?: readonly number[]
}

/**
 * Tokens that the host wrote in the model's turn for it to continue: a header that the request demands, or the end of a
 * body that the engine swallowed. If they begin a message, an earlier end of the turn becomes `<|end|>` in the model's
 * context.
 */
export interface HostEntry {
  readonly type: 'host'
  /** The ids. */
  readonly tokens: readonly number[]
}

/**
 * Tokens that the model sampled. If its answer contains a stop string, the last of them is replaced by the text before
 * the string, and `<|return|>`; the usage then states how many more or fewer tokens the model sampled.
 */
export interface ChunkEntry {
  readonly type: 'chunk'
  /** The tokens of one step, in order. */
  readonly tokens: readonly HarmonyToken[]
  /** The counts of the call, in its last chunk. None if absent. */
  readonly usage?: CallUsage
}

/** Counts of a model call that only the engine knows. */
export interface CallUsage {
  /** How many tokens of the turn's prompt were cached, as its first call reports, since the others continue it. */
  readonly cachedTokens?: number
  /**
   * How many tokens the model sampled in the call beyond those of its entries; negative if fewer, and then only in an
   * entry with at least as many tokens, or by the counts of such a server. None if absent.
   */
  readonly unreadTokens?: number
  /** The number of tokens of the turn's prompt, as a server counts that renders its own. */
  readonly inputTokens?: number
  /** The number of tokens of the turn's reasoning, as such a server counts. */
  readonly reasoningTokens?: number
}

/** Counts of a call in which the model paused before it stopped. */
export interface UsageEntry {
  readonly type: 'usage'
  /** The counts. */
  readonly usage: CallUsage
}

/** A complete item that the host inserted, and the tokens that it took, if any. */
export interface ItemEntry {
  readonly type: 'item'
  /** The item, as its events have it. */
  readonly item: CompleteItem
  /** The tokens that it took. None if absent. */
  readonly usage?: HostUsage
}

/** The conversation so far was summarized for the response to continue with, or could not be. */
export interface CompactionEntry {
  readonly type: 'compaction'
  /** The cost of the summary. */
  readonly usage?: HostUsage
  /** Absent if the model wrote none: the response continues with the whole conversation, and does not try again. */
  readonly compacted?: CompactedPrompt
}

/** The compacted conversation with which a response continues. */
export interface CompactedPrompt {
  /** The item of the compaction, which clients send back in place of the conversation. */
  readonly item: CompleteItem
  /** The ids, excluding a turn's `<|start|>assistant`. They replace the first prompt and all tokens after it. */
  readonly prompt: readonly number[]
  /** The index in the prompt at which the conversation begins, after the instructions. */
  readonly start: number
}

/** The model stopped. */
export interface StopEntry {
  readonly type: 'stop'
  /** Why it stopped. */
  readonly reason: EndReason
  /** The counts of the call. None if absent. */
  readonly usage?: CallUsage
}

/** A call is about to run. */
export interface ToolStartedEntry {
  readonly type: 'tool_started'
  /** The id of the call's item. */
  readonly itemId: string
  /** From 1. A process that takes over repeats a call without a recorded result, if the tool allows it. */
  readonly attempt: number
}

/** The result of a call, and the ids of the message that adds it to the transcript. */
export interface ToolResultEntry {
  readonly type: 'tool_result'
  /** The id of the call's item. */
  readonly itemId: string
  /** Absent if the item already contains its result: the call was refused. The model is told nevertheless. */
  readonly result?: CallResult
  /** The ids of the tool's message. */
  readonly transcript: readonly number[]
  /**
   * The results of the request for later calls of the turn, which the prompt withheld: the model reads them after this
   * one. They are not part of the transcript, since they follow from the conversation. None if absent.
   */
  readonly followers?: readonly number[]
}

/** The response ends: the model has finished, or must not continue. */
export interface EndEntry {
  readonly type: 'end'
  /** Why it ends: `stop` completes it, the others leave it incomplete. */
  readonly reason: EndReason
}

/** The response failed. */
export interface FailEntry {
  readonly type: 'fail'
  /** The failure as the client sees it. */
  readonly failure: Failure
}

/** The host gave up: the response failed. */
export interface AbortEntry {
  readonly type: 'abort'
}

/** The response was cancelled, or its client left. */
export interface CancelEntry {
  readonly type: 'cancel'
}

/** An entry before its time is set. */
export type EntryBody =
  | OpenEntry
  | BeginEntry
  | TurnEntry
  | HostEntry
  | ChunkEntry
  | UsageEntry
  | ItemEntry
  | CompactionEntry
  | StopEntry
  | ToolStartedEntry
  | ToolResultEntry
  | LastEntry

/** An entry that ends a response. */
export type LastEntry = EndEntry | FailEntry | AbortEntry | CancelEntry

/** An entry of a response. `at` is Unix time in whole seconds. */
export type Entry = {
  /** When it was written. */
  readonly at: number
} & EntryBody

/** Whether nothing can follow an entry. */
export function isLastEntry<Any extends EntryBody>(entry: Any): entry is Any & LastEntry {
  const { type } = entry
  return type === 'end' || type === 'fail' || type === 'abort' || type === 'cancel'
}

/** Returns what the translator of a response takes from its first entry. */
export function translatorOptionsOf(
  open: OpenEntry,
): Pick<
  TranslatorOptions,
  | 'responseId'
  | 'request'
  | 'mcpListings'
  | 'knownListings'
  | 'knownFiles'
  | 'knownPages'
  | 'knownContainerId'
  | 'approvedCalls'
> {
  const { responseId, request, listings: mcpListings, knownListings = [], approvedCalls } = open
  const { knownFiles, knownPages, knownContainerId } = open
  return {
    ...{ responseId, request, mcpListings, knownListings, approvedCalls },
    ...(knownFiles && { knownFiles }),
    ...(knownPages && { knownPages }),
    ...(knownContainerId !== undefined && { knownContainerId }),
  }
}
