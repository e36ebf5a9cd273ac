import type { EngineCapabilities } from '../engine/constraint.js'
import type { CallResult } from '../responses/call-result.js'
import type { InputItem } from '../responses/input-items.js'
import type { McpListing } from '../responses/mcp-listing.js'
import type { ResponseRequest, UnknownTool } from '../responses/request.js'
import type { EndReason, HarmonyToken, HostUsage } from '../tokens/token-source.js'
import type { Failure } from '../translate/failure.js'
import type { WholeItem } from '../translate/host-item.js'
import type { ApprovedCall } from '../translate/options/options.js'

/*
 * A response is what went into it: its events follow from its entries. Entries are plain data, in the order in which
 * they happened, and each is written before anything that follows from it is shown.
 */

/** How events follow from entries. Raised whenever the same entries give other events. */
export const BEHAVIOUR = 3

/**
 * What a response adds to its conversation. Who keeps each response's part has the whole by going from one to the one
 * before it.
 */
export interface Addition {
  /** The response that it goes on from, if the host's store has it. */
  readonly previous?: string
  /** The items that came since then. */
  readonly input: readonly InputItem[]
  /** What the host knows of their tokens: transcripts of other responses, and what seals hold. None if absent. */
  readonly history?: readonly KnownTokens[]
}

/** As `HistoryEntry`, in plain JSON. */
export type KnownTokens =
  | { readonly tokens: readonly number[]; readonly items?: readonly string[] | undefined }
  | { readonly sealed: string; readonly text: string; readonly form?: string | undefined }

/**
 * The first prompt: not its ids, which are the conversation once more, but all that renders it again besides the
 * conversation and what the operator set (the policy), and how to tell that it is the same.
 */
export interface PromptRecord {
  /** How many ids it has, without the `<|start|>assistant` that every turn begins with. */
  readonly tokens: number
  /** A hash of the ids: 16 hexadecimal digits. */
  readonly digest: string
  /** `YYYY-MM-DD` */
  readonly date: string
  /** The built-in tools that the host runs. */
  readonly hosted: readonly string[]
  /** What servers listed that the conversation lists otherwise. None if absent. */
  readonly listings?: readonly McpListing[]
  /** As in the options of `respond`. */
  readonly images?: string
  readonly identity?: string
  readonly knowledgeCutoff?: string
}

/**
 * What the operator adds to a request for the model. The response echoes the request without it, and all else goes on by the
 * request with it.
 */
export interface OperatorTerms {
  /** Tools that it does not declare, behind its own. None if absent. */
  readonly tools?: readonly UnknownTool[]
  /** Instructions before its own. None if absent. */
  readonly instructions?: string
  /** Whether these tools are left by an `allowed_tools` that does not name them. */
  readonly isExempt?: true
  /** The tools of servers that it declares whose calls need an approval, `*` for all: by label, in the place of what it says itself. */
  readonly asks?: { readonly [label: string]: readonly string[] }
}

/** The response begins: what its events and its first prompt depend on. */
export interface OpenEntry extends Addition {
  readonly type: 'open'
  readonly behaviour: number
  readonly responseId: string
  /** The request without its input and without secrets. Each of its functions says whether it is strict. */
  readonly request: ResponseRequest
  /** What the operator adds to it. Nothing if absent. */
  readonly operator?: OperatorTerms
  readonly prompt: PromptRecord
  /** Whether the prompt asks for a summary: the conversation is compacted, and nothing else happens. */
  readonly isCompaction?: true
  /** Whether nothing is generated: the response is there for a later one to go on from. */
  readonly isPreparation?: true
  /** How many tokens a turn may take in before the conversation is compacted. Any number if absent. */
  readonly compactAbove?: number
  /** Whether the conversation is one message, which stays as it is: it is not compacted before the first turn. */
  readonly isOneMessage?: true
  /** How many searches of the web may run. Any number if absent. */
  readonly mostSearches?: number
  /** What the engine said that it can do, when it was asked. */
  readonly capabilities?: Omit<EngineCapabilities, 'fit'>
  /** The parameters that the engine holds bodies to: `tools[2].parameters`, `text.format.schema`. None if absent. */
  readonly constrained?: readonly string[]
  /** Those of them of which the type alone is held: the request's schemas are too much together. None if absent. */
  readonly typeOnly?: readonly string[]
  /** The recipients that the call which the request demands may have, if the model is free to choose no other. */
  readonly callees?: readonly string[]
  readonly listings: readonly McpListing[]
  /** What servers listed whose listings the conversation has already: names and annotations. None if absent. */
  readonly knownListings?: readonly McpListing[]
  readonly approvedCalls: readonly ApprovedCall[]
}

/** The model is called: with the prompt, the transcript so far, and `<|start|>assistant`. */
export interface TurnEntry {
  readonly type: 'turn'
  /** The ids of a message that the host writes before: the model did not do what the request demands. None if absent. */
  readonly reminder?: readonly number[]
}

/**
 * What the host wrote in the model's turn for it to go on from: a header that the request demands, or the end of a body
 * that the engine swallowed. Where it begins a message, an end of the turn before it becomes `<|end|>` in
 * what the model reads.
 */
export interface HostEntry {
  readonly type: 'host'
  readonly tokens: readonly number[]
}

/**
 * What the model sampled. Where a stop string stands in its answer, the last of them has what remains in front of it, and
 * `<|return|>`; its usage then says what the model sampled besides, or how many fewer.
 */
export interface ChunkEntry {
  readonly type: 'chunk'
  readonly tokens: readonly HarmonyToken[]
  readonly usage?: CallUsage
}

/** What only the engine knows of a call of the model. */
export interface CallUsage {
  /** How much of the turn's prompt was in its cache: its first call says it, since the others begin in it. */
  readonly cachedTokens?: number
  /**
   * How many tokens the model sampled in the call besides those of its entries. Below 0 if it was fewer, which only an
   * entry with at least as many tokens says. None if absent.
   */
  readonly unreadTokens?: number
}

/** What only the engine knows of a call, where the model paused before it stopped. */
export interface UsageEntry {
  readonly type: 'usage'
  readonly usage: CallUsage
}

/** A complete item that the host put into the output, and the tokens that it took, if it took any. */
export interface ItemEntry {
  readonly type: 'item'
  readonly item: WholeItem
  readonly usage?: HostUsage
}

/** The conversation so far was summarized, for the response to go on with the summary; or could not be. */
export interface CompactionEntry {
  readonly type: 'compaction'
  /** What the summary took. */
  readonly usage?: HostUsage
  /** Absent if the model wrote none: the response goes on with all of the conversation, and does not try again. */
  readonly compacted?: Compacted
}

/** What a response goes on with that was compacted. */
export interface Compacted {
  readonly item: WholeItem
  /** The ids, without the `<|start|>assistant` of a turn. They take the place of the first prompt and of all that followed. */
  readonly prompt: readonly number[]
  /** Where in the prompt the conversation begins, after the instructions. */
  readonly start: number
}

/** The model stopped. */
export interface StopEntry {
  readonly type: 'stop'
  readonly reason: EndReason
  readonly usage?: CallUsage
}

/** A call is about to be run. */
export interface ToolStartedEntry {
  readonly type: 'tool_started'
  readonly itemId: string
  /** From 1. A process that takes over runs a call again whose result it does not find, if the tool says that it may. */
  readonly attempt: number
}

/** The result of a call, and the ids of the message with which it enters the transcript. */
export interface ToolResultEntry {
  readonly type: 'tool_result'
  readonly itemId: string
  /** Absent if the item has its result: the call was refused. The model is told of it nevertheless. */
  readonly result?: CallResult
  readonly transcript: readonly number[]
}

/** The response is over: the model has nothing more to do, or may not go on. */
export interface EndEntry {
  readonly type: 'end'
  readonly reason: EndReason
}

/** The response failed. */
export interface FailEntry {
  readonly type: 'fail'
  /** What the client sees. */
  readonly failure: Failure
}

/** The client left, or the host gave up. */
export interface AbortEntry {
  readonly type: 'abort'
}

/** An entry before its time is known. */
export type EntryBody =
  | OpenEntry
  | TurnEntry
  | HostEntry
  | ChunkEntry
  | UsageEntry
  | ItemEntry
  | CompactionEntry
  | StopEntry
  | ToolStartedEntry
  | ToolResultEntry
  | EndEntry
  | FailEntry
  | AbortEntry

/** What went into a response. `at` is Unix time in whole seconds. */
export type Entry = { readonly at: number } & EntryBody
