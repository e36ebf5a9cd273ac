import type { CodeInterpreterCallItem, CodeInterpreterTool } from '../../../core/responses/items.js'
import type { ResponseRequest } from '../../../core/responses/request.js'
import { isFields } from '../../../shared/fields.js'
import { unsupported } from '../../../shared/request-error.js'
import { fieldOf } from '../../../shared/request-fields.js'

/** Returns the container of the latest call of the code interpreter in the conversation, where the next one goes on. */
export function knownContainer({ input }: ResponseRequest): string | undefined {
  const items = Array.isArray(input) ? (input as readonly Partial<CodeInterpreterCallItem>[]) : []
  const latest = items.findLast(({ type, container_id: id }) => type === 'code_interpreter_call' && isId(id))
  return latest?.container_id
}

/** From a client, so that it may be anything. */
function isId(id: unknown): boolean {
  return typeof id === 'string' && id !== ''
}

/**
 * Checks the container of a code interpreter that the host runs: it takes no files of the client's.
 *
 * @param placeOf - returns where the request has a parameter
 * @throws RequestError
 */
export function checkContainer({ tools }: ResponseRequest, placeOf: (param: string) => string): void {
  for (const [index, tool] of (tools ?? []).entries()) {
    const { container } = tool as Partial<CodeInterpreterTool>
    const files = tool.type === 'code_interpreter' && isFields(container) && fieldOf(container, 'file_ids')
    const param = `tools[${index}].container.file_ids`
    if (Array.isArray(files) && files.length > 0) throw unsupported(placeOf(param), 'files of containers are', HINT)
  }
}

const HINT = 'Write what they contain into the input: the model can put it into /mnt/data.'
