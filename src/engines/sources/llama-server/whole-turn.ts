import type { HarmonyToken, HostUsage } from '../../../core/tokens/token-source.js'
import { EngineError } from '../../contract/engine-error.js'
import type { StepReader } from '../http/call-stream.js'
import type { HttpCall } from '../http/http-call.js'
import { completionSteps } from './completion-steps.js'
import type { Vocabulary } from './sent-tokens.js'

/**
 * Reads one call, in as many requests as it needs. llama-server compares stop words with text, so it also stops where
 * the model spells `<|message|>` in ordinary tokens. Another request then continues the call, with the prompt and all
 * tokens so far, which the server has cached except for the last one.
 */
export function wholeTurn(call: HttpCall, vocabulary: Vocabulary): StepReader {
  const counts = createCounts()
  let part = call
  let read = completionSteps(part, vocabulary)
  let ids: number[] = []
  let isSpelled = false
  return {
    read(event, take) {
      read(event, (step) => {
        for (const token of step.tokens) ids.push(idOf(token))
        isSpelled = step.isStopWord === true && !call.stop.includes(ids.at(-1) ?? -1)
        const { end, ...rest } = { ...step, ...(step.usage && { usage: counts.of(step.usage, ids.length) }) }
        take(isSpelled || end === undefined ? rest : { ...rest, end })
      })
    },
    next(take) {
      if (!isSpelled) return undefined
      if (ids.length === 0) throw new EngineError('server_error', 'llama-server stopped at a word without a token')
      const spent = counts.close()
      const left = call.maxTokens === undefined ? undefined : call.maxTokens - spent
      if (left !== undefined && left <= 0) {
        take({ tokens: [], end: { reason: 'max_output_tokens' } })
        return undefined
      }
      part = { ...part, prompt: [...part.prompt, ...ids], maxTokens: left }
      read = completionSteps(part, vocabulary)
      ids = []
      isSpelled = false
      return part
    },
  }
}

function idOf(token: HarmonyToken): number {
  return typeof token === 'number' ? token : token.id
}

/** Combines the counts of a call's requests: the input of the first one, and the sum of the outputs. */
function createCounts(): { of(usage: HostUsage, ids: number): HostUsage; close(): number } {
  let input: HostUsage | undefined
  let spent = 0
  let current = { usage: {} as HostUsage, sampled: 0 }
  /** Whether the ids of any request are not as many as were sampled, so that only the server can count. */
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
