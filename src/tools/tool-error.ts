import { check } from '../errors.js'

/**
 * A failure that the model is told of: a tool throws it to have its message in the conversation. The message of any
 * other error stays with the host, because it may name what no client should see.
 *
 *     throw new ToolError('There is no city of this name.')
 */
export class ToolError extends Error {
  override readonly name = 'ToolError'
  /** The code in the call's item. A number is the MCP protocol's. */
  readonly code: string | number | undefined

  /** @throws HarmonyResponsesError `bad_option` if there is no message for the model */
  constructor(message: string, options: ErrorOptions & { readonly code?: string | number } = {}) {
    check(typeof message === 'string' && message !== '', 'ToolError', 'a message for the model', message)
    super(message, options)
    this.code = options.code
  }
}
