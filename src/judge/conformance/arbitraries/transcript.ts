import type { Arbitrary } from 'fast-check'
import type { ResponseRequest } from '../../../core/responses/request.js'
import { checkOptions, type OptionTable } from '../../../shared/options/check-options.js'
import { aBoolean, having, listOf, oneOf, wholeNumber } from '../../../shared/options/checks.js'
import {
  type BuiltinDeclarations,
  builtinDeclarations,
  requestFor,
  showTools,
  TOOL_TYPES,
  type ToolType,
} from './called-tool.js'
import fc from './fast-check.js'
import {
  type EncodeOptions,
  encoderOf,
  ID_OPTIONS,
  printedAs,
  streamOf,
  type TextStream,
  type TokenStream,
} from './stream-forms.js'
import { harmonyText } from './text.js'
import { type HarmonyMessage, type Step, step, type TranscriptMessage, writeSteps } from './transcript-writer.js'

/** The content of a transcript. */
export interface TranscriptContent {
  /** The messages with their authors, in order. */
  readonly entries: TranscriptMessage[]
  /** The messages of the entries, as the official parser reads them from the tokens, starting with role `assistant`. */
  readonly messages: HarmonyMessage[]
  /** A request that declares all called tools. */
  readonly request: ResponseRequest
}

/**
 * The output of a model, with the host's results in between. The first message begins after `<|start|>assistant`. The
 * host's part ends with the next `<|start|>assistant`, if a message of the model follows.
 */
export interface Transcript extends TokenStream, TranscriptContent {}

/** A transcript without a token table. */
export interface TextTranscript extends TextStream, TranscriptContent {}

/** Options for {@link wellFormedTranscript}. */
export interface TranscriptOptions {
  /** The text of messages. Default `harmonyText()`; `harmonyTextSpellingMarkers()` needs a token table. */
  readonly text?: Arbitrary<string>
  /** Whether tools are called. Default true. */
  readonly calls?: boolean
  /**
   * The types of tools that are declared and called, as requests name them: those that the server accepts, and with names
   * that the API accepts. Built-in tools are declared as MCP servers, too, if `mcp` is among them. Default: all types, and
   * names with dots, too.
   */
  readonly tools?: readonly ToolType[]
  /** Whether the host answers some calls. Default true. */
  readonly results?: boolean
  /** The maximum number of messages and groups of calls. Default 5. */
  readonly maxSteps?: number
}

const TRANSCRIPT_OPTIONS: OptionTable<TranscriptOptions & EncodeOptions> = {
  ...ID_OPTIONS,
  text: having(['generate'], 'an arbitrary of fast-check'),
  calls: aBoolean,
  tools: listOf(oneOf(...TOOL_TYPES), `a list of ${TOOL_TYPES.join(', ')}`),
  results: aBoolean,
  maxSteps: wholeNumber(1),
}

/**
 * A transcript in valid Harmony: the official parser accepts it and reads the same messages. Reasoning, preambles,
 * answers and calls come in any order. `<|call|>` ends calls, `<|return|>` a final answer at the end, and `<|end|>` all
 * other messages. There is no content type without a recipient, because the official parser would read it as a
 * recipient.
 *
 * With a token table, it has ids, and also text if that is unambiguous; without one, it is text with literal markers.
 * Shrinks to fewer messages, empty texts, and calls of `functions.get_weather` with `{}`.
 *
 * @throws HarmonyResponsesError `bad_option`; also at generation, if a text spells a marker and there is no table
 *
 * @example
 * ```ts
 * import fc from 'fast-check'
 * import { checkEvents } from 'harmony-responses/conformance'
 * import { wellFormedTranscript } from 'harmony-responses/conformance/arbitraries'
 * import { loadTokenTable } from 'harmony-responses/tokens'
 *
 * const transcript = wellFormedTranscript({ tokenTable: await loadTokenTable() })
 * await fc.assert(
 *   fc.asyncProperty(transcript, async ({ chunks, request }) => {
 *     const violations = checkEvents(await myServer.respond(chunks, request))
 *     return violations.every(({ severity, fault }) => severity !== 'error' || fault === 'model')
 *   }),
 * )
 * ```
 */
export function wellFormedTranscript(options: TranscriptOptions & EncodeOptions): Arbitrary<Transcript>
export function wellFormedTranscript(options?: TranscriptOptions): Arbitrary<TextTranscript>
export function wellFormedTranscript(
  options: TranscriptOptions & Partial<EncodeOptions> = {},
): Arbitrary<Transcript | TextTranscript> {
  checkOptions('wellFormedTranscript', options, TRANSCRIPT_OPTIONS)
  const { text = harmonyText(), calls = true, tools, results = true, maxSteps = 5 } = options
  const types = calls ? (tools ?? TOOL_TYPES) : []
  const offered = { types, isOfApi: tools !== undefined }
  const encode = encoderOf(options)
  return fc
    .record({
      steps: fc.array(step(text, offered, results), { minLength: 1, maxLength: maxSteps }),
      builtins: builtinDeclarations(types),
    })
    .map(({ steps, builtins }) => {
      const how = { started: true, builtins: unambiguous(steps, builtins), ends: true }
      const { segments, entries } = writeSteps(steps, how)
      const messages = entries.map(({ message }) => message)
      const request = requestFor(entries.flatMap(({ tool }) => (tool ? [tool.declaration] : [])))
      const transcript = { ...streamOf(segments, encode), entries, messages, request }
      return printedAs(transcript, () => `Transcript(${JSON.stringify(transcript.text)}, ${showTools(request)})`)
    })
}

/** Declares `python` as a built-in if a function has that name: a bare `python` recipient would mean the function. */
function unambiguous(steps: readonly Step[], builtins: BuiltinDeclarations): BuiltinDeclarations {
  const calls = steps.flatMap((step) => (step.kind === 'calls' ? step.calls : []))
  const named = calls.some(({ tool }) => tool.kind === 'function' && tool.name === 'python')
  return named && builtins.python === 'mcp' ? { ...builtins, python: 'builtin' } : builtins
}
