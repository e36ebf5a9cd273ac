import type { CitablePages } from '../citations/pages.js'
import type { HarmonyHeader, Origin } from '../harmony/events.js'
import { type Listing, listingsOf } from '../options/mcp-listing.js'
import type { TranslatorOptions } from '../options/options.js'
import { readClock } from '../options/read-clock.js'
import type { MessageLog } from '../response-object/response-messages.js'
import { IN_PROGRESS, type ResponseState } from '../response-object/response-object.js'
import { addHostUsage, createUsage, type UsageCount } from '../response-object/usage.js'
import { withoutSecrets } from '../response-object/without-secrets.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import type { TextBuffer } from '../text/text-buffer.js'

/** A message by another author than the assistant, as far as it has arrived. Plain data. */
export interface OtherMessage {
  header: HarmonyHeader
  /**
   * The message's author. A message that the model writes under another role is a fabrication, unless the host trusts
   * it.
   */
  origin: Origin
  text: TextBuffer
}

/** A translator's own state. Plain JSON. */
export interface TranslatorState extends ResponseState {
  readonly listings: readonly Listing[]
  readonly usage: UsageCount
  /** The pages of the model's browser; null until it shows one. */
  pages: CitablePages | null
  /** All messages, if the request asks for them and the host allows it. */
  readonly messages: MessageLog | null
  isStarted: boolean
  /** Whether a special token has arrived. An engine that strips them delivers none. */
  isMarked: boolean
  containerId: string | null
  /** The open message by another author than the assistant. */
  other: OtherMessage | null
  /** Whether the turn has a call that the client answers. */
  isClientAsked?: boolean
  /** What the model has written since it invented the result of such a call, by the author of that result. */
  invented?: { readonly author: string; readonly text: TextBuffer } | null
  /** The number of the next event. */
  sequenceNumber: number
  /** How many ids have been created. */
  ordinal: number
  /** The index of the last token or text chunk, from 0; -1 before the first. */
  index: number
  /** Emitted events that no method has returned yet. */
  queued: ResponseStreamEvent[]
}

/**
 * The empty queue of all translators, frozen: an event in it would show up in all of them. A new list for each push
 * would trigger V8's write barrier once more per token.
 */
// biome-ignore lint/plugin: it is frozen, and typed as the lists that may replace it.
export const NO_EVENTS: ResponseStreamEvent[] = Object.freeze([]) as unknown as ResponseStreamEvent[]

/**
 * Creates the state of a translator before its first token.
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function createState(options: TranslatorOptions): TranslatorState {
  const request = withoutSecrets(options.request ?? {})
  const state: TranslatorState = {
    responseId: options.responseId,
    createdAt: readClock(options.clock),
    progress: IN_PROGRESS,
    isStarted: false,
    request,
    listings: listingsOf(options.mcpListings ?? []),
    containerId: null,
    other: null,
    isMarked: false,
    usage: createUsage(),
    pages: null,
    messages: options.responseMessages === true && request.enable_response_messages === true ? [] : null,
    sequenceNumber: 0,
    ordinal: 0,
    index: -1,
    queued: NO_EVENTS,
  }
  addHostUsage(state.usage, options.usage ?? {})
  return state
}
