import type { TokenEngine } from '../engine/engine.js'
import { EngineError } from '../engine/engine-error.js'
import { generateOptions } from '../engine/generate-options.js'
import { translate } from '../full.js'
import { type RenderPromptOptions, renderPrompt } from '../prompt/render-prompt.js'
import type { ResponseRequest } from '../responses/request.js'
import type { HostUsage } from '../tokens/token-source.js'
import type { TokenTable } from '../tokens/token-table.js'
import { collectResponse } from '../translate/collect-response.js'

/** What a model is asked for that shall go on from the summary alone. */
const INSTRUCTIONS = `Summarize our conversation for somebody who will go on with it and has not seen it. Write down:
- what the user wants, with all constraints and preferences, in the user's own words where they matter;
- what has been done and found, with names, paths, numbers, addresses and decisions exactly as they are;
- what is still open, and what should happen next.
Leave out pleasantries and what is no longer of use. Answer with the summary alone.`

/** A summary of a conversation by the model, and what it took. */
export interface Summary {
  readonly text: string
  readonly usage: HostUsage
}

/**
 * The request that asks for the summary of a request's conversation. Its tools are known, so that calls of the past are
 * read, and not taught.
 */
export function summaryRequest(request: ResponseRequest): ResponseRequest {
  const { text: _, input, ...rest } = request
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : (input ?? [])
  const said = items.filter((item) => !('type' in item && item.type === 'compaction_trigger'))
  return { ...rest, tool_choice: 'none', input: [...said, { role: 'user', content: INSTRUCTIONS }] }
}

/** The prompt of {@link summaryRequest}. @throws RequestError if the conversation cannot be rendered */
export function summaryPrompt(request: ResponseRequest, options: RenderPromptOptions): Uint32Array {
  return renderPrompt(summaryRequest(request), options).tokens
}

/**
 * Has the model write a summary.
 *
 * @param prompt - of {@link summaryPrompt}
 * @throws EngineError if the engine fails, or the model writes no summary
 */
export async function summarize(
  prompt: readonly number[] | Uint32Array,
  request: ResponseRequest,
  options: { readonly engine: TokenEngine; readonly tokenTable: TokenTable; readonly signal?: AbortSignal },
): Promise<Summary> {
  const { engine, tokenTable, signal } = options
  const { sampling = {} } = generateOptions(request)
  const errors: unknown[] = []
  const tokens = engine.generate(prompt, { sampling, ...(signal && { signal }) })
  const events = translate(tokens, { tokenTable, onError: (error) => errors.push(error), ...(signal && { signal }) })
  const { output, status, usage } = await collectResponse(events)
  if (status === 'failed') throw errors[0] ?? new EngineError('server_error', 'the model was stopped')
  const answers = output.flatMap((item) =>
    item.type === 'message' && item.phase === 'final_answer' ? item.content : [],
  )
  const text = answers.map((part) => part.text).join('\n')
  if (status !== 'completed' || text === '') throw new EngineError('server_error', 'the model wrote no summary')
  return {
    text,
    usage: {
      inputTokens: prompt.length,
      outputTokens: usage?.output_tokens ?? 0,
      reasoningTokens: usage?.output_tokens_details.reasoning_tokens ?? 0,
    },
  }
}
