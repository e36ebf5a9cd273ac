import type { Arbitrary } from 'fast-check'
import type { ResponseRequest } from '../../../../core/responses/request.js'
import type { TokenChunk } from '../../../../core/tokens/token-source.js'
import { check } from '../../../../shared/errors.js'
import { checkOptions, type OptionTable } from '../../../../shared/options/check-options.js'
import { anything, listOf } from '../../../../shared/options/checks.js'
import { type BuiltinDeclarations, declareFunction, requestFor, showTools } from '../called-tool.js'
import { cutText } from '../chunk-plan.js'
import fc from '../fast-check.js'
import {
  type Encode,
  type EncodeOptions,
  encoderOf,
  ID_OPTIONS,
  isText,
  model,
  printedAs,
  START,
  streamOf,
  type TextChunk,
  type TextStream,
  type TokenStream,
} from '../stream-forms.js'
import { harmonyText, json } from '../text.js'
import { type HarmonyMessage, type Step, writeSteps } from '../transcript-writer.js'
import { borders } from './borders.js'
import { calls } from './calls.js'
import { cuts } from './cuts.js'
import { headers } from './headers.js'
import type { MalformedShape, Shape, Shapes, Stretch } from './shape.js'

const SHAPES: Shapes<MalformedShape> = { ...headers, ...borders, ...calls, ...cuts }

/** The names of all malformed shapes. */
export const MALFORMED_SHAPES: readonly MalformedShape[] = Object.keys(SHAPES) as MalformedShape[]

/** These shapes need ids: in text, a marker that a tool result spells cannot be told from a real one. */
const ONLY_IDS: readonly MalformedShape[] = ['markers-in-tool-result']

/** The content of a transcript with a malformed stretch, as a good reader reads it. */
export interface MalformedContent {
  /** The malformed shape: one of `MALFORMED_SHAPES`. */
  readonly shape: MalformedShape
  /** A description of the shape and its variant. */
  readonly variant: string
  /** The threads on GitHub that report the shape. */
  readonly seenIn: string
  /**
   * The well-formed messages before the stretch; the host's messages of `markers-in-tool-result` are neither here nor in
   * `after`.
   */
  readonly before: HarmonyMessage[]
  /** The well-formed messages after the stretch. */
  readonly after: HarmonyMessage[]
  /** The content of the stretch, in order: bodies and free text, without header words and junk. */
  readonly texts: string[]
  /** The calls that a good reader makes of the stretch, in order: recipients with their namespace. */
  readonly calls: { readonly recipient: string; readonly arguments: string }[]
  /** Whether some text of the stretch spells a marker that is not one. Never without a token table. */
  readonly spelled: boolean
  /** Whether the stream stops inside a header or a message. */
  readonly open: boolean
  /** A request that declares the called functions, except those of `undeclared-tool`, which the model made up. */
  readonly request: ResponseRequest
}

/** A transcript with one malformed stretch, as a faulty model or engine produces it. */
export interface MalformedTranscript extends TokenStream, MalformedContent {}

/** The same transcript without ids, for lack of a token table. */
export interface MalformedTextTranscript extends TextStream, MalformedContent {}

/** Options for {@link malformedTranscript}. */
export interface MalformedOptions {
  /** Names in `MALFORMED_SHAPES`. Default: all of them; without a token table, all that text can express. */
  readonly shapes?: readonly MalformedShape[]
}

const MALFORMED_OPTIONS: OptionTable<MalformedOptions & EncodeOptions> = {
  ...ID_OPTIONS,
  // `ofShape` says which are meant.
  shapes: listOf(anything, 'an array of names'),
}

/**
 * A transcript of one of the malformed shapes that were seen in the wild, alone or between well-formed messages:
 * headers that are glued, repeated, misspelled or cut, markers that are missing or too many, calls of undeclared tools,
 * odd tokens and ids. None of it is the server's fault: a good server throws nothing, loses no text and shows no
 * marker.
 *
 * With a token table it has ids, and also text if text can express the same. Without one it is text with literal
 * markers, and `markers-in-tool-result` (which is about text that spells them) and ids without a name are left out. A
 * transcript keeps its shape while it shrinks: to no messages around the malformed stretch, and to short texts.
 *
 * @throws HarmonyResponsesError `bad_option` where a name is unknown, or its shape needs a token table
 *
 * @example
 * ```ts
 * import fc from 'fast-check'
 * import { checkEvents } from 'harmony-responses/conformance'
 * import { malformedTranscript } from 'harmony-responses/conformance/arbitraries'
 * import { loadTokenTable } from 'harmony-responses/tokens'
 *
 * const malformed = malformedTranscript({ tokenTable: await loadTokenTable() })
 * await fc.assert(
 *   fc.asyncProperty(malformed, async ({ chunks, request }) => {
 *     const violations = checkEvents(await myServer.respond(chunks, request))
 *     return violations.every(({ severity, fault }) => severity !== 'error' || fault === 'model')
 *   }),
 * )
 * ```
 */
export function malformedTranscript(options: MalformedOptions & EncodeOptions): Arbitrary<MalformedTranscript>
export function malformedTranscript(options?: MalformedOptions): Arbitrary<MalformedTextTranscript>
export function malformedTranscript(
  options: MalformedOptions & Partial<EncodeOptions> = {},
): Arbitrary<MalformedTranscript | MalformedTextTranscript> {
  checkOptions('malformedTranscript', options, MALFORMED_OPTIONS)
  const encode = encoderOf(options)
  const possible = MALFORMED_SHAPES.filter((name) => encode !== undefined || !ONLY_IDS.includes(name))
  const { shapes = possible } = options
  check(shapes.length > 0, 'shapes', 'at least one shape', shapes)
  return fc.oneof(...shapes.map((name) => ofShape(name, encode)))
}

function ofShape(
  name: MalformedShape,
  encode: Encode | undefined,
): Arbitrary<MalformedTranscript | MalformedTextTranscript> {
  check(Object.hasOwn(SHAPES, name), 'shapes', nearShapes(name, MALFORMED_SHAPES), name)
  const isPossible = encode !== undefined || !ONLY_IDS.includes(name)
  check(isPossible, `shapes: ${name}`, 'a tokenTable, as text cannot say it', undefined)
  const shape = SHAPES[name]
  const { place, stretch } = shape
  const before =
    place === 'first'
      ? fc.constant([])
      : fc.array(surroundingStep(), { minLength: place === 'between' ? 1 : 0, maxLength: 2 })
  const stretches = encode ? stretch : stretch.filter(({ segments }) => isText(segments))
  return fc
    .record({ before, made: stretches, after: fc.array(surroundingStep(), { maxLength: 2 }) })
    .map((parts) => write(name, shape, parts, encode))
}

function write(
  shape: MalformedShape,
  { seenIn }: Shape,
  { before, made, after }: { before: readonly Step[]; made: Stretch; after: readonly Step[] },
  encode: Encode | undefined,
): MalformedTranscript | MalformedTextTranscript {
  const head = writeSteps(before, { started: true, builtins: SURROUNDING, ends: false })
  const tail = writeSteps(made.last === undefined ? after : [], { started: false, builtins: SURROUNDING, ends: true })
  const started = before.length === 0 || made.bare === true
  const [opening, ...rest] = made.segments
  // `<|start|>assistant` and what follows it are one span.
  const begun = started || opening === undefined ? made.segments : [model(...START, ...opening.parts), ...rest]
  const stream = streamOf([...head.segments, ...begun, ...tail.segments], encode)
  const entries = [...head.entries, ...tail.entries]
  const functions = (made.functions ?? []).map(declareFunction)
  const request = requestFor([...functions, ...entries.flatMap(({ tool }) => (tool ? [tool.declaration] : []))])
  const value = {
    shape,
    variant: made.variant,
    seenIn,
    ...(made.textCuts === undefined ? stream : inPieces(stream, made.textCuts)),
    before: head.entries.map(({ message }) => message),
    after: tail.entries.map(({ message }) => message),
    texts: [...(made.texts ?? [])],
    calls: [...(made.calls ?? [])],
    spelled: made.spelled === true,
    open: made.last === 'open',
    request,
  }
  return printedAs(
    value,
    () => `${shape}, ${made.variant} (${seenIn}): Transcript(${JSON.stringify(stream.text)}, ${showTools(request)})`,
  )
}

function inPieces(stream: TokenStream | TextStream, sizes: readonly number[]): TokenStream | TextStream {
  const cut = (chunks: readonly TextChunk[]): TextChunk[] => cutText(chunks, sizes)
  if (!('tokens' in stream)) return { ...stream, textChunks: cut(stream.textChunks) }
  const chunks: TokenChunk[] = stream.tokens
  return { ...stream, chunks, ...(stream.textChunks ? { textChunks: cut(stream.textChunks) } : {}) }
}

const SURROUNDING: BuiltinDeclarations = { python: 'builtin', browser: 'builtin', container: 'builtin' }

/** A well-formed message around a malformed stretch. It calls only functions, with names that no shape uses. */
const surroundingStep = (): Arbitrary<Step> => {
  const spec = fc.record({
    tool: fc.record({ kind: fc.constant('function' as const), name: fc.constantFrom('look_up', 'get_time') }),
    recipientIn: fc.constantFrom('channel' as const, 'role' as const),
    channel: fc.constant('commentary' as const),
    type: fc.constantFrom(undefined, { name: 'json', constrain: 'spaced' as const }),
    body: json(),
    result: fc.constant(undefined),
  })
  const plain = fc.record({
    kind: fc.constantFrom('analysis' as const, 'commentary' as const, 'final' as const),
    text: harmonyText(),
  })
  return fc.oneof(
    { weight: 3, arbitrary: plain },
    { weight: 1, arbitrary: spec.map((made): Step => ({ kind: 'calls', calls: [made] })) },
  )
}

/**
 * Returns the names that an unknown one most likely means, for an error message: those that share most words with it.
 */
function nearShapes(unknown: unknown, names: readonly string[]): string {
  const words =
    String(unknown)
      .toLowerCase()
      .match(/[a-z]{3,}/g) ?? []
  const shared = (name: string): number =>
    words.filter((word) => name.split('-').some((own) => own.startsWith(word.slice(0, 4)))).length
  const max = Math.max(...names.map(shared))
  const near = max === 0 ? [] : names.filter((name) => shared(name) === max).slice(0, 5)
  return near.length === 0 ? 'a name out of MALFORMED_SHAPES' : near.join(' or ')
}
