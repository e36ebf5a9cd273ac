import type { CallResult } from '../../core/responses/call-result.js'
import { check } from '../../shared/errors.js'

/**
 * A failure that the model reads: a tool throws it to put its message into the conversation. The message of any other
 * error stays with the host, because it may contain details that no client should see.
 *
 * @example
 * ```ts
 * import { functionTools, ToolError } from 'harmony-responses/tools/functions'
 *
 * const weather = functionTools('weather', {
 *   now: {
 *     description: 'The weather now.',
 *     parameters: { type: 'object', properties: {} },
 *     run: () => {
 *       throw new ToolError('There is no station nearby.')
 *     },
 *   },
 * })
 * ```
 */
export class ToolError extends Error {
  override readonly name = 'ToolError'
  /** The code in the call's item. A number is the MCP protocol's. */
  readonly code: string | number | undefined

  /** @throws HarmonyResponsesError `bad_option` if the message is empty */
  constructor(message: string, options: ErrorOptions & { readonly code?: string | number } = {}) {
    check(typeof message === 'string' && message !== '', 'ToolError', 'a message for the model', message)
    super(message, options)
    this.code = options.code
  }
}

/** Returns the result of a call that failed, for the model. @throws any error but a {@link ToolError} */
export function failureOf(error: unknown): CallResult {
  if (!(error instanceof ToolError)) throw error
  const { message, code } = error
  return { error: { message, ...(code !== undefined && { code }) } }
}
