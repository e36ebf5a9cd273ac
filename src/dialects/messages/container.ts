import { isFields } from '../../shared/fields.js'
import { invalidType, RequestError, unsupported } from '../../shared/request-error.js'
import { fieldOf, objectsAt, optionalTextIn } from '../../shared/request-fields.js'
import type { Draft } from './draft.js'

/** The ids of containers that an answer names. Others could not come back in the ids of calls. */
const ID = /^cntr_\w{1,100}$/

/** Reads `container`: the session in which the host's Python goes on. @throws RequestError */
export function readContainer(value: unknown, draft: Draft): void {
  if (typeof value !== 'string' && !isFields(value)) throw invalidType('container', 'a string or an object', value)
  const [id, param] =
    typeof value === 'string' ? [value, 'container'] : [optionalTextIn(value, 'id', 'container'), 'container.id']
  const skills = typeof value === 'string' ? undefined : fieldOf(value, 'skills')
  if (skills !== undefined && objectsAt(skills, 'container.skills').length > 0) {
    throw unsupported('container.skills', 'skills are', 'Write what they say into the system prompt.')
  }
  if (id === undefined) return
  if (!ID.test(id)) throw unknownContainer(id, param)
  const code = draft.tools.find((tool) => (tool as { readonly type?: unknown }).type === 'code_interpreter')
  // Nothing could run in it.
  if (code === undefined) draft.leaveOut('container')
  else Object.assign(code, { container: id })
}

/** Returns the error for a container that does not exist, or not any more. */
export function unknownContainer(id: string, param = 'container'): RequestError {
  const message = `Container '${id.slice(0, 60)}' was not found: it has expired, or is not yours.`
  const hint = `Leave out '${param}' to start a new one, without its variables and files.`
  return new RequestError(`${message} ${hint}`, { param, code: 'invalid_value' })
}
