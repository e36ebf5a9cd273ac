import type { InputConfigurationUpdate } from '../responses/other-input-items.js'
import type { ResponseRequest } from '../responses/request.js'

/**
 * Returns the request with the settings that its conversation makes (`configuration_update`): each stays in effect
 * until a later one replaces it. The same object if there are none.
 */
export function withConversationSettings<Request extends ResponseRequest>(request: Request): Request {
  const { input, reasoning, text } = request
  if (!Array.isArray(input)) return request
  let effort: unknown
  let format: unknown
  // Read several times for each request, so that a large conversation takes a millisecond.
  for (let index = 0; index < input.length; index++) {
    const item = input[index] as Partial<InputConfigurationUpdate> | null | undefined
    if (item?.type !== 'configuration_update') continue
    effort = Object(item.reasoning).effort ?? effort
    format = Object(item.text).format ?? format
  }
  if (effort === undefined && format === undefined) return request
  return {
    ...request,
    ...(effort !== undefined && { reasoning: { ...reasoning, effort } }),
    ...(format !== undefined && { text: { ...text, format } }),
  }
}
