import { check } from '../errors.js'
import type { HarmonyHeader, Origin } from '../harmony/events.js'
import type { ParserSnapshot } from '../harmony/parser.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import { hash, SEED } from './hash.js'
import type { Listing } from './mcp-listing.js'
import type { TranslatorOptions } from './options.js'
import type { OutputItemsSnapshot } from './output-items.js'
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
  /** Whether a special token came: without any, the engine strips them. */
  isMarked: boolean
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
  readonly output: OutputItemsSnapshot
  /** The first token of a delta that is not whole yet, or -1. Only known while tracing. */
  readonly deltaFrom: number
  /** Of everything else. */
  readonly digest: string
}

/** A snapshot with its digest. */
export function sealSnapshot(parts: Omit<TranslatorSnapshot, 'version' | 'digest'>): TranslatorSnapshot {
  const copy = structuredClone({ version: 1, ...parts } as const)
  return { ...copy, digest: digestOf(copy) }
}

/**
 * A snapshot as a copy of its own, checked: whatever was changed, lost or cut off since it was taken.
 *
 * @throws HarmonyResponsesError `bad_snapshot`, `snapshot_unsupported`: see `Translator.restore`
 */
export function checkSnapshot(
  snapshot: TranslatorSnapshot,
  options: Pick<TranslatorOptions, 'parser'>,
): TranslatorSnapshot {
  const { digest, ...parts } = Object(snapshot) as TranslatorSnapshot
  check(parts.version === 1, 'snapshot.version', '1', parts.version, 'bad_snapshot')
  check(options.parser === undefined, 'restore', 'the native parser', options.parser, 'snapshot_unsupported')
  try {
    const copy = structuredClone(parts)
    if (digest === digestOf(copy)) return { ...copy, digest }
  } catch {}
  throw check(false, 'snapshot', 'what snapshot() gave, unchanged', snapshot, 'bad_snapshot')
}

/** The same for the same data, also where a store sorts fields or leaves out what JSON has no word for. */
function digestOf(parts: object): string {
  const json = JSON.stringify(parts, (_, value: unknown) =>
    Object(value) !== value || Array.isArray(value)
      ? value
      : Object.fromEntries(Object.entries(value as object).sort(([a], [b]) => (a < b ? -1 : 1))),
  )
  return hash(json, SEED).join()
}
