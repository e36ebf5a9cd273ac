import { isFields } from '../../shared/fields.js'
import { missingParameter, RequestError, unsupportedParameter } from '../../shared/request-error.js'

/** Parameters of Chat Completions, and their names here. Ignoring them would change the client's answer. */
const MOVED: { readonly [name: string]: string } = {
  messages: 'input',
  max_tokens: 'max_output_tokens',
  max_completion_tokens: 'max_output_tokens',
  response_format: 'text.format',
  reasoning_effort: 'reasoning.effort',
  verbosity: 'text.verbosity',
  functions: 'tools',
  function_call: 'tool_choice',
}

/**
 * Tells a client that speaks Chat Completions how to phrase its request here.
 *
 * @throws RequestError
 */
export function checkNotChatCompletions(body: { readonly [name: string]: unknown }): void {
  for (const [name, moved] of Object.entries(MOVED)) {
    if (!Object.hasOwn(body, name) || body[name] == null) continue
    throw unsupportedParameter(name, `In the Responses API, this parameter has moved to '${moved}'.`)
  }
  const tools = Object.hasOwn(body, 'tools') && Array.isArray(body['tools']) ? body['tools'] : []
  for (const [index, tool] of tools.entries()) checkFlat(tool, `tools[${index}]`)
  if (Object.hasOwn(body, 'tool_choice')) checkFlat(body['tool_choice'], 'tool_choice')
}

/** Rejects a nested tool: `{ type, function: { name } }` is `{ type, name }` here. */
function checkFlat(tool: unknown, path: string): void {
  if (!isFields(tool) || tool['type'] !== 'function' || tool['name'] !== undefined || !isFields(tool['function']))
    return
  const { message, param, code } = missingParameter(`${path}.name`)
  const hint = `In the Responses API, the fields of '${path}.function' are fields of '${path}'.`
  throw new RequestError(`${message} ${hint}`, { param, code })
}
