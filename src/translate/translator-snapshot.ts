import { HarmonyResponsesError } from '../errors.js'
import type { Origin } from '../harmony/events.js'
import type { ParserSnapshot } from '../harmony/parser.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import type { ResponseRequest } from '../responses/request.js'
import { describe, type TranslatorOptions } from './options.js'
import type { OutputSnapshot } from './output.js'
import type { SequencerSnapshot } from './sequencer.js'
import type { ResponseProgress } from './snapshot.js'
import type { TextBuffer } from './text-buffer.js'
import type { UsageCount } from './usage.js'

/** A message of somebody other than the assistant, as far as it came. Plain data. */
export interface OtherMessage {
  role: 'tool' | 'user' | 'system' | 'developer'
  /** The tool that speaks. */
  author: string
  /** Who wrote it: what the model wrote in another's name is a fabrication, unless it is trusted. */
  origin: Origin
  text: TextBuffer
}

/** The whole state of a translator, as plain JSON. Opaque: only `restore` reads it. */
export interface TranslatorSnapshot {
  readonly version: 1
  readonly responseId: string
  readonly createdAt: number
  readonly progress: ResponseProgress
  readonly isStarted: boolean
  readonly request: ResponseRequest
  readonly containerId: string | null
  readonly sequencer: SequencerSnapshot
  readonly parser: ParserSnapshot
  readonly output: OutputSnapshot
  readonly other: OtherMessage | null
  readonly usage: UsageCount
  /** The number of the token or text chunk that came last. */
  readonly index: number
  /** The first token of a delta that is not whole yet, or -1. Only known while tracing. */
  readonly deltaFrom: number
  /** Events that were made but not handed out. */
  readonly queued: readonly ResponseStreamEvent[]
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
  if (version !== 1) {
    throw new HarmonyResponsesError(
      'bad_snapshot',
      `snapshot: expected one of version 1, got version ${describe(version)}`,
    )
  }
  if (options.parser !== undefined) {
    throw new HarmonyResponsesError('snapshot_unsupported', 'restore: expected the native parser, got another one')
  }
  return structuredClone(snapshot)
}
