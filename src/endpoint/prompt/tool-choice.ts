import { readToolChoice, type ToolChoice } from '../../core/recipients/tool-choice.js'
import type { Fields } from '../../shared/fields.js'
import { fieldOf, listAt, objectAt, optionalTextIn, textIn } from '../../shared/request-fields.js'

/**
 * Parses the request's `tool_choice`: the tools that it allows and the call that it demands.
 *
 * @throws RequestError if `allowed_tools` is malformed
 */
export function toolChoiceOf(request: object): ToolChoice {
  const choice = fieldOf(request as Fields, 'tool_choice')
  const fields = (typeof choice === 'object' ? choice : {}) as Fields
  if (fieldOf(fields, 'type') === 'allowed_tools') {
    for (const [index, tool] of listAt(fieldOf(fields, 'tools') ?? [], 'tool_choice.tools').entries()) {
      const param = `tool_choice.tools[${index}]`
      const given = objectAt(tool, param)
      textIn(given, 'type', param)
      for (const name of ['server_label', 'name']) optionalTextIn(given, name, param)
    }
  }
  return readToolChoice(choice)
}
