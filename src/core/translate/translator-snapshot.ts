import { check } from '../../shared/errors.js'
import type { OutputSnapshot } from '../completion/current-item.js'
import type { ParserSnapshot } from '../harmony/parser.js'
import { hash, SEED } from '../options/hash.js'
import type { TranslatorOptions } from '../options/options.js'
import type { TranslatorState } from '../state/translator-state.js'

/** The state of a translator and all its parts, as plain JSON. Opaque: only `restore` reads it. */
export interface TranslatorSnapshot {
  readonly version: 1
  /** @internal */
  readonly state: TranslatorState
  /** The state of the parser. */
  readonly parser: ParserSnapshot
  /** @internal */
  readonly output: OutputSnapshot
  /** The first token of the delta that is not complete yet, or -1. Only known while tracing. */
  readonly deltaFrom: number
  /** A hash of all other fields. */
  readonly digest: string
}

/** Adds the digest to a snapshot. */
export function sealSnapshot(parts: Omit<TranslatorSnapshot, 'version' | 'digest'>): TranslatorSnapshot {
  const copy = structuredClone({ version: 1, ...parts } as const)
  return { ...copy, digest: digestOf(copy) }
}

/**
 * Checks and copies a snapshot. The digest reveals any change or loss since it was taken.
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
  let copy = parts
  let isIntact = false
  try {
    copy = structuredClone(parts)
    isIntact = digest === digestOf(copy)
  } catch {}
  check(isIntact, 'snapshot', 'an unmodified snapshot()', snapshot, 'bad_snapshot')
  return { ...copy, digest }
}

/** Equal for equal data, even if a store sorts fields or drops undefined ones. */
function digestOf(parts: object): string {
  const json = JSON.stringify(parts, (_, value: unknown) =>
    Object(value) !== value || Array.isArray(value)
      ? value
      : Object.fromEntries(Object.entries(value as object).sort(([a], [b]) => (a < b ? -1 : 1))),
  )
  return hash(json, SEED).join()
}
