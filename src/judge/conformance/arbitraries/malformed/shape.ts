import type { Arbitrary } from 'fast-check'
import { SPECIAL as m } from '../../../../core/harmony/vocabulary.js'
import fc from '../fast-check.js'
import { type Part, type Segment, START } from '../stream-forms.js'
import { harmonyText, json, prose } from '../text.js'

/** Headers with parts that are glued, repeated, misspelled or junk. @inline */
export type HeaderShape =
  | 'channel-glued-to-recipient'
  | 'repeated-channel'
  | 'tool-name-as-channel'
  | 'conflicting-channels'
  | 'header-without-message'
  | 'end-in-header'
  | 'free-text-as-channel'
  | 'free-text-after-channel'
  | 'junk-after-channel'
  | 'repeated-start'
  | 'repeated-role'
  | 'empty-channel'
  | 'unknown-channel'
  | 'content-type-on-final'
  | 'unknown-content-type'
  | 'reasoning-after-constrain'
  | 'tool-after-constrain'
  | 'glued-role'
  | 'space-after-constrain'
  | 'repeated-recipient'
  | 'extra-header-words'
  | 'channel-or-tool-as-role'

/** Messages whose header, `<|message|>`, `<|start|>` or `<|end|>` is missing. @inline */
export type BorderShape =
  | 'missing-message-marker'
  | 'constrain-instead-of-message'
  | 'missing-header'
  | 'no-markers'
  | 'missing-header-after-reasoning'
  | 'junk-before-start'
  | 'missing-start'
  | 'channel-word-as-header'
  | 'empty-message-without-end'
  | 'missing-end'

/** Calls and answers in correct grammar that a reader still does not expect. @inline */
export type CallShape =
  | 'recipient-without-namespace'
  | 'call-on-wrong-channel'
  | 'undeclared-tool'
  | 'code-as-arguments'
  | 'recipient-not-a-tool'
  | 'preamble'
  | 'arguments-without-recipient'
  | 'invalid-json-arguments'
  | 'wrong-call-terminator'
  | 'parallel-calls'
  | 'reasoning-only'

/** Streams that are cut, tokenized or filled in odd ways. @inline */
export type CutShape =
  | 'cut-in-header'
  | 'stripped-markers'
  | 'split-header-words'
  | 'text-cut-in-markers'
  | 'endless-channel'
  | 'markers-in-tool-result'
  | 'unknown-token-id'
  | 'garbled-header'

/** A malformed shape that was seen in the wild, grouped by its malformed part. */
export type MalformedShape = HeaderShape | BorderShape | CallShape | CutShape

/** A malformed stretch of a transcript. */
export interface Stretch {
  readonly variant: string
  /** The tokens after `<|start|>assistant` or, with `bare`, after the message before. */
  readonly segments: readonly Segment[]
  readonly bare?: boolean
  readonly texts?: readonly string[]
  readonly calls?: readonly { readonly recipient: string; readonly arguments: string }[]
  /** Names of declared functions. */
  readonly functions?: readonly string[]
  readonly spelled?: boolean
  /** Whether the stream stops here, between messages (`closed`) or within one (`open`). */
  readonly last?: 'closed' | 'open'
  /** The lengths of the pieces of its text. Its ids come one by one. */
  readonly textCuts?: readonly number[]
}

/** The place of a stretch: `first` in the stream, `between` messages (one precedes it), or `any` of the two. */
export type Place = 'any' | 'first' | 'between'

/** A call of a function. */
export const call = (name: string, body: string): { recipient: string; arguments: string } => ({
  recipient: `functions.${name}`,
  arguments: body,
})

/** The content of a stretch that is a call of a declared function. */
export const called = (name: string, body: string): Pick<Stretch, 'texts' | 'calls' | 'functions'> => ({
  texts: [body],
  calls: [call(name, body)],
  functions: [name],
})

export const either = <const T>(...values: T[]): Arbitrary<T> => fc.constantFrom(...values)

/** ` json` in one of its forms. */
export const withType = (how: 'spaced' | 'adjacent' | 'plain'): Part[] =>
  how === 'plain' ? [' json'] : how === 'spaced' ? [' ', m.constrain, 'json'] : [m.constrain, 'json']

export const typeForm = (): Arbitrary<'spaced' | 'adjacent' | 'plain'> => either('spaced', 'adjacent', 'plain')

/** An answer, up to its end. */
export const finalMessage = (text: string): Part[] => [...START, m.channel, 'final', m.message, text]

/** Arbitraries of the texts in stretches. */
export const words: { readonly [K in 'name' | 'json' | 'text' | 'prose']: Arbitrary<string> } = {
  name: either('bash', 'get_weather', 'geo'),
  json: json(),
  text: harmonyText(),
  prose: prose(4),
}

/** One of the shapes that were seen in the wild. */
export interface Shape {
  readonly place: Place
  /** Threads on GitHub that report it. */
  readonly seenIn: string
  readonly stretch: Arbitrary<Stretch>
}

/** Shapes by their names. */
export type Shapes<Name extends MalformedShape> = Readonly<Record<Name, Shape>>

/** A shape whose stretches are built from these values. */
export function shape<T>(
  place: Place,
  seenIn: string,
  values: { [K in keyof T]: Arbitrary<T[K]> },
  build: (values: T) => Stretch,
): Shape {
  return { place, seenIn, stretch: fc.record(values).map((picked) => build(picked as T)) }
}
