import { EngineError } from '../../engine/engine-error.js'
import { encoderOf } from '../../tokens/encoder.js'
import type { HostUsage } from '../../tokens/token-source.js'
import type { TokenTable } from '../../tokens/token-table.js'
import type { Ask, HttpCall } from '../http/http-engine.js'
import type { EngineStep } from '../http/steps-to-tokens.js'
import { completionSteps, type Vocabulary } from './completion-steps.js'

/**
 * The steps of one call, in as many requests as it takes. llama-server compares stop words with text, so it also stops
 * where the model spells `<|message|>` in ordinary tokens. The call then goes on in another request, for the prompt and
 * all tokens so far, of which the server has all but the last in its cache.
 */
export async function* wholeTurn(
  ask: Ask,
  call: HttpCall,
  load: () => Promise<Vocabulary>,
): AsyncGenerator<EngineStep> {
  const { table } = await load()
  const counts = createCounts()
  for (let part = call; ; ) {
    const ids: number[] = []
    let isSpelled = false
    for await (const step of completionSteps(ask(part), part, load)) {
      ids.push(...idsOf(step, table))
      isSpelled = step.isStopWord === true && !call.stop.includes(ids.at(-1) ?? -1)
      const { end, ...rest } = { ...step, ...(step.usage && { usage: counts.of(step.usage, ids.length) }) }
      yield isSpelled || end === undefined ? rest : { ...rest, end }
    }
    if (!isSpelled) return
    if (ids.length === 0) throw new EngineError('server_error', 'llama-server stopped at a word without a token')
    const spent = counts.close()
    const left = call.maxTokens === undefined ? undefined : call.maxTokens - spent
    if (left !== undefined && left <= 0) return yield { tokens: [], end: { reason: 'max_output_tokens' } }
    part = { ...part, prompt: [...part.prompt, ...ids], maxTokens: left }
  }
}

/** The ids of a step. Text whose ids are lost is encoded anew, as the model would have read it. */
function idsOf({ tokens }: EngineStep, table: TokenTable): number[] {
  if (typeof tokens === 'string') return encoderOf(table)(tokens)
  return tokens.map((token) => (typeof token === 'number' ? token : token.id))
}

/** The counts of a call over its requests: what went in is that of the first one, what came out is their sum. */
function createCounts(): { of(usage: HostUsage, ids: number): HostUsage; close(): number } {
  let input: HostUsage | undefined
  let spent = 0
  let current = { usage: {} as HostUsage, sampled: 0 }
  /** Whether ids are lost in any request, so that only the server can count. */
  let isCounted = false
  return {
    of({ outputTokens, ...usage }, ids) {
      isCounted ||= outputTokens !== undefined
      current = { usage, sampled: outputTokens ?? ids }
      return { ...(input ?? usage), ...(isCounted ? { outputTokens: spent + current.sampled } : {}) }
    },
    close() {
      input ??= current.usage
      spent += current.sampled
      return spent
    },
  }
}
