import fc from 'fast-check'
import type { ResponseRequest } from '../../responses/request.js'
import { type BuiltinDeclarations, requestFor, showTools } from './called-tool.js'
import { encoderOf, type IdOptions, shown, streamOf, type TextStream, type TokenStream } from './stream-forms.js'
import { harmonyText } from './text.js'
import { type HarmonyMessage, type Step, step, type TranscriptMessage, writeSteps } from './transcript-writer.js'

/** What a transcript says. */
export interface TranscriptContent {
  readonly entries: TranscriptMessage[]
  /** The messages of the entries: what the official parser makes of the tokens, role `assistant`. */
  readonly messages: HarmonyMessage[]
  /** Responses create params that declare every tool that is called. */
  readonly request: ResponseRequest
}

/**
 * What a model wrote, with the results that the host put between. The first message begins behind
 * `<|start|>assistant`; what the host says ends in the next `<|start|>assistant`, if a message of the model follows.
 */
export interface Transcript extends TokenStream, TranscriptContent {}

/** The same where there is no token table. */
export interface TextTranscript extends TextStream, TranscriptContent {}

/** What a transcript has in it. */
export interface TranscriptOptions {
  /** What messages say. Default `harmonyText()`; `harmonyTextSpellingMarkers()` needs a token table. */
  readonly text?: fc.Arbitrary<string>
  /** Whether tools are called. Default true. */
  readonly calls?: boolean
  /** Whether the host answers some calls. Default true. */
  readonly results?: boolean
  /** How many messages, or groups of calls, at most. Default 5. */
  readonly maxSteps?: number
}

/**
 * A transcript that is Harmony as it should be: the official parser accepts it and reads the same messages. Reasoning,
 * preambles, answers and calls come in any order; `<|call|>` ends calls, `<|return|>` an answer that is last, `<|end|>`
 * the rest. There is no content type without a recipient, which the official parser takes for a recipient.
 *
 * With a token table it is ids, and text where text can say the same; without one it is text with literal markers.
 * Shrinks to fewer messages, empty texts, and calls of `functions.get_weather` with `{}`.
 *
 * @throws HarmonyResponsesError `bad_option`, at generation, where a text spells a marker and there is no table
 */
export function wellFormedTranscript(options: TranscriptOptions & IdOptions): fc.Arbitrary<Transcript>
export function wellFormedTranscript(options?: TranscriptOptions): fc.Arbitrary<TextTranscript>
export function wellFormedTranscript(
  options: TranscriptOptions & Partial<IdOptions> = {},
): fc.Arbitrary<Transcript | TextTranscript> {
  const { text = harmonyText(), calls = true, results = true, maxSteps = 5 } = options
  const encode = encoderOf(options)
  const declared = (): fc.Arbitrary<'builtin' | 'preview' | 'mcp'> => fc.constantFrom('builtin', 'preview', 'mcp')
  return fc
    .record({
      steps: fc.array(step(text, calls, results), { minLength: 1, maxLength: maxSteps }),
      builtins: fc.record({ python: declared(), browser: declared(), container: declared() }),
    })
    .map(({ steps, builtins }) => {
      const how = { started: true, builtins: unambiguous(steps, builtins), ends: true }
      const { segments, entries } = writeSteps(steps, how)
      const messages = entries.map(({ message }) => message)
      const request = requestFor(entries.flatMap(({ tool }) => (tool ? [tool.declaration] : [])))
      const transcript = { ...streamOf(segments, encode), entries, messages, request }
      return shown(transcript, () => `Transcript(${JSON.stringify(transcript.text)}, ${showTools(request)})`)
    })
}

/** A bare `python` is a declared function of that name before it is an MCP server's: then it is not declared so. */
function unambiguous(steps: readonly Step[], builtins: BuiltinDeclarations): BuiltinDeclarations {
  const calls = steps.flatMap((step) => (step.kind === 'calls' ? step.calls : []))
  const named = calls.some(({ tool }) => tool.kind === 'function' && tool.name === 'python')
  return named && builtins.python === 'mcp' ? { ...builtins, python: 'builtin' } : builtins
}
