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
  // A plain loop: this runs several times for a request, over up to 100,000 items.
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

/** Returns the place in the request of a parameter of its settings: that of the item which made the setting. */
export function placeOfSetting({ input }: ResponseRequest, param: string): string {
  if (!Array.isArray(input) || !/^text\.format\b/.test(param)) return param
  const index = input.findLastIndex((item) => {
    const { type, text } = item as Partial<InputConfigurationUpdate>
    return type === 'configuration_update' && Object(text).format !== undefined
  })
  return index === -1 ? param : `input[${index}].${param}`
}
