import { check } from '../errors.js'
import type { HarmonyHeader, Origin } from '../harmony/events.js'
import type { ParserSnapshot } from '../harmony/parser.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import type { Listing } from './mcp-listing.js'
import type { TranslatorOptions } from './options.js'
import type { OutputSnapshot } from './output.js'
import type { Pages } from './pages.js'
import type { MessageLog } from './response-messages.js'
import type { ResponseState } from './response-object.js'
import type { TextBuffer } from './text-buffer.js'
import type { UsageCount } from './usage.js'

/** A message of somebody other than the assistant, as far as it came. Plain data. */
export interface OtherMessage {
  header: HarmonyHeader
  /** Who wrote it: what the model wrote in another's name is a fabrication, unless it is trusted. */
  origin: Origin
  text: TextBuffer
}

/** What a translator itself has to remember. Plain JSON. */
export interface TranslatorState extends ResponseState {
  readonly listings: readonly Listing[]
  readonly usage: UsageCount
  /** Of the model's browser, once it has shown one. */
  pages: Pages | null
  /** Every message, where the request asks for them and the host lets it. */
  readonly messages: MessageLog | null
  isStarted: boolean
  containerId: string | null
  /** The message of somebody other than the assistant that is being read. */
  other: OtherMessage | null
  /** The number of the next event, and how many ids were made. */
  sequenceNumber: number
  ordinal: number
  /** The number of the token or text chunk that came last, from 0. */
  index: number
  /** Events that are made but not handed out. */
  queued: readonly ResponseStreamEvent[]
}

/** A translator with all its parts, as plain JSON. Opaque: only `restore` reads it. */
export interface TranslatorSnapshot {
  readonly version: 1
  readonly state: TranslatorState
  readonly parser: ParserSnapshot
  readonly output: OutputSnapshot
  /** The first token of a delta that is not whole yet, or -1. Only known while tracing. */
  readonly deltaFrom: number
}

/**
 * A snapshot as a copy of its own, checked.
 *
 * @throws HarmonyResponsesError `bad_snapshot`, `snapshot_unsupported`: see `Translator.restore`
 */
export function checkSnapshot(
  snapshot: TranslatorSnapshot,
  options: Pick<TranslatorOptions, 'parser'>,
): TranslatorSnapshot {
  const version: unknown = (snapshot as Partial<TranslatorSnapshot> | null | undefined)?.version
  check(version === 1, 'snapshot.version', '1', version, 'bad_snapshot')
  const isWhole = [snapshot.state, snapshot.parser, snapshot.output].every((part) => Object(part) === part)
  check(isWhole, 'snapshot', 'a whole one', snapshot, 'bad_snapshot')
  check(options.parser === undefined, 'restore', 'the native parser', options.parser, 'snapshot_unsupported')
  try {
    return structuredClone(snapshot)
  } catch {
    throw check(false, 'snapshot', 'plain JSON data', snapshot, 'bad_snapshot')
  }
}
