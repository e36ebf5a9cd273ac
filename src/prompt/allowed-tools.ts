import { toolSelection as selectionOf, type ToolSelection } from '../recipients/tool-choice.js'
import { type Fields, fieldOf, listAt, objectAt, optionalTextIn, textIn } from './fields.js'

/**
 * Which tools the request's `tool_choice` leaves: the model is told of them alone.
 *
 * @throws RequestError if `allowed_tools` is malformed
 */
export function toolSelection(request: Fields): ToolSelection {
  const choice = fieldOf(request, 'tool_choice')
  const fields = (typeof choice === 'object' ? choice : {}) as Fields
  if (fieldOf(fields, 'type') === 'allowed_tools') {
    for (const [index, tool] of listAt(fieldOf(fields, 'tools') ?? [], 'tool_choice.tools').entries()) {
      const param = `tool_choice.tools[${index}]`
      const given = objectAt(tool, param)
      textIn(given, 'type', param)
      for (const name of ['server_label', 'name']) optionalTextIn(given, name, param)
    }
  }
  return selectionOf(choice)
}
