import { STOP_TOKENS } from '../../../core/harmony/stop-tokens.js'
import { SPECIAL } from '../../../core/harmony/vocabulary.js'
import type { ResponseRequest } from '../../../core/responses/request.js'
import { encoderOf } from '../../../core/tokens/encoder.js'
import type { HostUsage, StreamEnd, TokenChunk } from '../../../core/tokens/token-source.js'
import type { TokenTable } from '../../../core/tokens/token-table.js'
import { collectResponse } from '../../../core/translate/collect-response.js'
import type { TokenEngine, TokenStream } from '../../../engines/contract/engine.js'
import { EngineError } from '../../../engines/contract/engine-error.js'
import { toGenerateOptions } from '../../../engines/contract/generate-options.js'
import type { PromptFields } from '../../../engines/contract/prompt-fields.js'
import { translate } from '../../../translate.js'
import { renderMessages } from '../../prompt/render-messages.js'
import { SUMMARY_INSTRUCTIONS } from '../prompts/summary-request.js'

/** The model's summary of a conversation, and its cost. */
export interface Summary {
  readonly text: string
  readonly usage: HostUsage
}

export interface SummaryOptions {
  readonly engine: TokenEngine
  readonly tokenTable: TokenTable
  readonly signal?: AbortSignal
  /** For an engine that takes messages. */
  readonly promptFields?: PromptFields | undefined
  /** Called with the first token of the summary. */
  readonly onSampled?: () => void
}

/**
 * Has the model write a summary.
 *
 * @param prompt - of `summaryRequest`
 * @throws EngineError if the engine fails, or the model writes no summary
 */
export async function summarize(
  prompt: readonly number[] | Uint32Array,
  request: ResponseRequest,
  options: SummaryOptions,
): Promise<Summary> {
  const { text, usage } = await write(prompt, request, options)
  if (text === undefined) throw new EngineError('server_error', 'the model wrote no summary')
  return { text, usage }
}

/** The model's attempt at a summary: its text is absent if empty or incomplete. */
export type SummaryAttempt = Omit<Summary, 'text'> & { readonly text: string | undefined }

/**
 * Makes the model summarize its context in the middle of its work: the engine's cache has everything but the question.
 * The host begins the answer, since a model with tools would rather continue with them.
 *
 * @param context - whole messages
 * @param max - the maximum number of tokens
 * @throws EngineError if the engine fails
 */
export async function summarizeContext(
  context: ArrayLike<number>,
  max: number,
  request: ResponseRequest,
  options: SummaryOptions,
): Promise<SummaryAttempt> {
  const { tokenTable } = options
  const encode = encoderOf(tokenTable)
  // A word takes a token and a third. A cut summary would be lost, so the model is told a lower limit than the real
  // one.
  const content = `${SUMMARY_INSTRUCTIONS} It may have ${Math.floor(max / 2)} words at most.`
  const { tokens: question } = renderMessages([{ role: 'user', content }], { tokenTable })
  const opening = [SPECIAL.channel, ...encode('final'), SPECIAL.message]
  const suffix = [...question, SPECIAL.start, ...encode('assistant'), ...opening]
  const prompt = new Uint32Array(context.length + suffix.length)
  prompt.set(context)
  prompt.set(suffix, context.length)
  return await write(prompt, request, options, { opening, max })
}

/** @param begun - the beginning of the answer at the prompt's end, and the maximum number of tokens after it */
async function write(
  prompt: readonly number[] | Uint32Array,
  request: ResponseRequest,
  { engine, tokenTable, signal, promptFields, onSampled = () => {} }: SummaryOptions,
  begun?: { readonly opening: readonly number[]; readonly max: number },
): Promise<SummaryAttempt> {
  const { sampling = {} } = toGenerateOptions(request)
  const errors: unknown[] = []
  const tokens = engine.generate(prompt, {
    sampling,
    ...(promptFields && { promptFields: withoutTools(promptFields) }),
    ...(begun && { maxTokens: begun.max, stop: [...STOP_TOKENS, SPECIAL.end] }),
    ...(signal && { signal }),
  })
  const all = openedWith(begun?.opening, tokens, onSampled)
  const events = translate(all, { tokenTable, onError: (error) => errors.push(error), ...(signal && { signal }) })
  const { output, status, usage } = await collectResponse(events)
  if (status === 'failed') throw errors[0] ?? new EngineError('server_error', 'the model was stopped')
  const answers = output.flatMap((item) =>
    item.type === 'message' && item.phase === 'final_answer' ? item.content : [],
  )
  const text = answers.map((part) => part.text).join('\n')
  return {
    text: status === 'completed' && text.trim() !== '' ? text : undefined,
    usage: {
      inputTokens: prompt.length,
      cachedTokens: Math.min(usage?.input_tokens_details.cached_tokens ?? 0, prompt.length),
      outputTokens: usage?.output_tokens ?? 0,
      reasoningTokens: usage?.output_tokens_details.reasoning_tokens ?? 0,
    },
  }
}

/** A model with tools would rather call them, and what ends an answer ends no summary. */
function withoutTools({
  tools: _tools,
  demand: _demand,
  format: _format,
  stop: _stop,
  ...promptFields
}: PromptFields): PromptFields {
  return promptFields
}

async function* openedWith(
  opening: readonly number[] | undefined,
  tokens: TokenStream,
  onSampled: () => void,
): AsyncGenerator<TokenChunk, StreamEnd | undefined> {
  if (opening !== undefined) yield { host: opening }
  try {
    const first = await tokens.next()
    if (first.done) return first.value
    onSampled()
    yield first.value
    return yield* tokens
  } finally {
    await tokens.return()
  }
}
