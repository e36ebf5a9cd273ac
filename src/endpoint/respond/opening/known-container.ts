import type { NoticeCode } from '../../../core/diagnostics/diagnostic.js'
import type { CodeInterpreterCallItem, CodeInterpreterTool } from '../../../core/responses/items.js'
import type { ResponseRequest } from '../../../core/responses/request.js'
import { isFields } from '../../../shared/fields.js'
import { unsupported } from '../../../shared/request-error.js'

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
 * @param notice - called with each parameter that has no effect
 * @param placeOf - returns where the request has a parameter
 * @throws RequestError
 */
export function checkContainer(
  { tools }: ResponseRequest,
  notice: (code: NoticeCode, subject: string) => void,
  placeOf: (param: string) => string,
): void {
  for (const [index, tool] of (tools ?? []).entries()) {
    const { container } = tool as Partial<CodeInterpreterTool>
    if (tool.type !== 'code_interpreter' || !isFields(container)) continue
    const { type: _, file_ids: files, ...ignored } = container as Record<string, unknown>
    const param = placeOf(`tools[${index}].container`)
    if (Array.isArray(files) && files.length > 0)
      throw unsupported(`${param}.file_ids`, 'files of containers are', HINT)
    for (const name of Object.keys(ignored)) notice('ignored_parameter', `${param}.${name}`)
  }
}

const HINT = 'Write what they contain into the input: the model can put it into /mnt/data.'
