import { undatedType } from '../recipients/builtin-tools.js'
import { type Fields, fieldOf, listAt, objectAt, optionalTextIn, textIn } from './fields.js'

/** Whether the model is told of a tool. One without a name stands for some tool of its type or server. */
export type ToolSelection = (tool: SelectedTool) => boolean

interface SelectedTool {
  readonly type: string
  readonly name?: string | undefined
  readonly label?: string | undefined
}

/**
 * Reads which tools `tool_choice` leaves: all, none, or those on its list, where an entry without a name allows all
 * tools of its type or server. A named tool and `required` do not narrow: the model is told of all tools.
 */
export function toolSelection(request: Fields): ToolSelection {
  const choice = fieldOf(request, 'tool_choice')
  if (choice === 'none') return () => false
  if (typeof choice !== 'object' || choice === null) return () => true
  const fields = choice as Fields
  if (fieldOf(fields, 'type') !== 'allowed_tools') return () => true
  /** The names of each type or server. */
  const allowed = new Map<string, Set<string> | 'all'>()
  for (const [index, tool] of listAt(fieldOf(fields, 'tools') ?? [], 'tool_choice.tools').entries()) {
    const param = `tool_choice.tools[${index}]`
    const given = objectAt(tool, param)
    const group = groupOf(textIn(given, 'type', param), optionalTextIn(given, 'server_label', param))
    const name = optionalTextIn(given, 'name', param)
    const names = allowed.get(group) ?? new Set()
    if (names !== 'all' && name !== undefined) names.add(name)
    allowed.set(group, name === undefined ? 'all' : names)
  }
  return ({ type, name, label }) => {
    const names = allowed.get(groupOf(type, label))
    return names !== undefined && (names === 'all' || name === undefined || names.has(name))
  }
}

function groupOf(type: string, label: string | undefined): string {
  return JSON.stringify([undatedType(type), label])
}
