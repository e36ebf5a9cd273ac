import { withDefaults } from '../defaults.js'
import { check } from '../errors.js'
import type { ResponseRequest } from '../responses/request.js'
import { encoderOf } from '../tokens/encoder.js'
import { callHost } from '../translate/call-host.js'
import { openEntry } from './open-entry.js'
import type { RespondOptions } from './options.js'

/** What a request's first model call takes in. */
export interface CountedInput {
  readonly inputTokens: number
}

/**
 * How many tokens the prompt of a request has, with the tools that its MCP servers list.
 *
 * @param options - those of `respond`
 * @throws RequestError if the request cannot be rendered
 */
export async function countInputTokens(request: ResponseRequest, options: RespondOptions): Promise<CountedInput> {
  check(Object(options?.tokenTable).text !== undefined, 'tokenTable', 'await loadTokenTable()', options?.tokenTable)
  const { responseId, clock, onError } = withDefaults({
    ...(options.clock !== undefined && { clock: options.clock }),
    ...(options.onError !== undefined && { onError: options.onError }),
  })
  const { signal = new AbortController().signal } = options
  const report = (error: unknown): void => callHost(onError, error)
  // Counted is the whole conversation, whether or not an engine could read or hold it.
  const engine = { generate: options.engine?.generate, health: options.engine?.health }
  const counted = { ...options, engine, unconstrained: 'validate' as const, responseId, onError: report }
  const { prompt } = await openEntry(request, counted, clock(), signal)
  // Every turn begins with these.
  return { inputTokens: prompt.length + 1 + encoderOf(options.tokenTable)('assistant').length }
}
