import { withConversationSettings } from '../../core/recipients/conversation-settings.js'
import { resolvePolicy } from '../../core/recipients/policy.js'
import type { ResponseRequest } from '../../core/responses/request.js'
import { withDefaults } from '../../defaults.js'
import { callSafely } from '../../shared/call-safely.js'
import { checkRespondOptions } from './check-respond-options.js'
import { prepareRequest } from './opening/prepare-request.js'
import type { RespondOptions } from './options.js'

/** Some 20 MB of text, and a few seconds of work. */
const COUNTED = 4_194_304

/** The input of a request's first model call. */
export interface InputTokenCount {
  /** The number of tokens, those before the model's own turn included. */
  readonly inputTokens: number
}

/**
 * Counts the tokens of a request's prompt, including the tools that its MCP servers list.
 *
 * @param options - those of `respond`
 * @throws RequestError if the request cannot be rendered, or has more tokens than `limits.countedTokens`
 *
 * @example
 * ```ts
 * import { loadTokenTable } from 'harmony-responses'
 * import { countInputTokens } from 'harmony-responses/respond'
 * import { scriptedEngine } from 'harmony-responses/testing'
 *
 * const options = { engine: scriptedEngine([]), tokenTable: await loadTokenTable() }
 * const { inputTokens } = await countInputTokens(request, options)
 * console.log(inputTokens > 0) // true
 * ```
 */
export async function countInputTokens(request: ResponseRequest, options: RespondOptions): Promise<InputTokenCount> {
  checkRespondOptions('countInputTokens', options)
  const { responseId, clock, onError } = withDefaults({
    ...(options.clock !== undefined && { clock: options.clock }),
    ...(options.onError !== undefined && { onError: options.onError }),
  })
  const { signal = new AbortController().signal } = options
  const policy = resolvePolicy(options.policy, options.mcpApproval)
  const report = (error: unknown): void => callSafely(onError, error)
  const { countedTokens = COUNTED } = options.limits ?? {}
  // Counts the whole conversation, even if no engine could read or constrain it.
  const engine = { generate: options.engine?.generate, health: options.engine?.health }
  const counted = { ...options, policy, engine, onUnsupportedConstraint: 'relax' as const, responseId, onError: report }
  const { truncation: _, ...whole } = withConversationSettings(request)
  const { prompt } = await prepareRequest(whole, counted, clock(), signal, countedTokens)
  return { inputTokens: prompt.size }
}
