import type { McpCallItem } from '../../../core/responses/items.js'
import { isFields } from '../../../shared/fields.js'
import { isTooDeep } from './too-deep.js'

/**
 * Returns the model's arguments; undefined if they are not an object, or one that cannot be sent: it would fail like a
 * broken connection, and fail the calls of others with it. For an MCP server that replaces the code interpreter, the
 * model writes code, which such servers take as `code`.
 */
export function callArguments({ server_label, name, arguments: text }: McpCallItem): object | undefined {
  const value = parse(text.trim() === '' ? '{}' : text)
  const isObject = isFields(value) && !isTooDeep(value)
  if (server_label !== 'code_interpreter' || name !== 'python') return isObject ? value : undefined
  return isObject && typeof (value as { code?: unknown }).code === 'string' ? value : { code: text }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
