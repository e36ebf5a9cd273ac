import { isFields } from '../../shared/fields.js'
import { unknownParameter } from '../../shared/request-error.js'
import { type Path, pathOf } from './path.js'

/**
 * Rejects fields that the result lacks because they are unknown.
 *
 * @throws RequestError
 */
export function refuseUnknown(sent: unknown, read: unknown, path: Path): void {
  // A value that is passed on unchanged, such as a JSON Schema, is the same object.
  if (sent === read) return
  if (Array.isArray(sent) && Array.isArray(read)) {
    for (const [index, entry] of sent.entries()) refuseUnknown(entry, read[index], [...path, index])
  } else if (isFields(sent) && isFields(read)) {
    for (const [name, value] of Object.entries(sent)) {
      const isKnown = Object.hasOwn(read, name)
      if (!isKnown && value != null) throw unknownParameter(pathOf([...path, name]))
      if (isKnown) refuseUnknown(value, read[name], [...path, name])
    }
  }
}
