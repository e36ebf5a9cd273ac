import { type Fields, isFields } from '../../../shared/fields.js'
import { InvalidSchema } from '../unsupported-schema.js'
import type { Located } from './located.js'

/** The `$ref`s of a document. */
export interface References {
  /** The target of a schema's `$ref`; undefined if it has none. */
  get(schema: Fields): Located | undefined
  /** Whether a schema is nothing but a `$ref`: up to draft 7, what stands beside one is not read. */
  isAlone(schema: Fields): boolean
}

/** The base of a schema without an `$id`: an unused URL. */
export const NO_BASE = 'schema:///'

/** A schema with an `$id` or an `$anchor`, to which URLs lead. */
export interface Resource {
  readonly schema: Fields
  readonly path: string
}

/** Returns the absolute URL of an `$id` or a `$ref`, without an empty fragment. Undefined if it is invalid. */
export function absolute(url: string, base: string): string | undefined {
  try {
    return new URL(url, base).href.replace(/#$/, '')
  } catch {
    return undefined
  }
}

/**
 * Resolves a `$ref` within its own document.
 *
 * @param at - the path of the `$ref`
 * @param resources - by URL, including the document
 * @throws InvalidSchema if it points elsewhere, or at something that is not a schema
 */
export function resolve(ref: string, base: string, at: string, resources: ReadonlyMap<string, Resource>): Located {
  const url = absolute(ref, base)
  const whole = url === undefined ? undefined : resources.get(url)
  if (whole !== undefined) return whole
  const [address = '', fragment = ''] = url?.split('#') ?? []
  const resource = resources.get(address)
  if (resource === undefined) {
    throw new InvalidSchema(at, "A '$ref' has to point into the schema itself: '#/$defs/NAME'.")
  }
  const pointer = decoded(fragment, at)
  const names = pointer.split('/')
  if (names.shift() !== '') throw new InvalidSchema(at, "A '$ref' points at nothing.")
  let schema: unknown = resource.schema
  for (const name of names.map((each) => each.replaceAll('~1', '/').replaceAll('~0', '~'))) {
    const isThere = typeof schema === 'object' && schema !== null && Object.hasOwn(schema, name)
    if (!isThere) throw new InvalidSchema(at, "A '$ref' points at nothing.")
    schema = (schema as Fields)[name]
  }
  if (!isFields(schema) && typeof schema !== 'boolean') {
    throw new InvalidSchema(at, "A '$ref' points at something that is no schema.")
  }
  return { schema, path: resource.path + pointer.replaceAll('\0', '~2') }
}

function decoded(fragment: string, at: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    throw new InvalidSchema(at, "A '$ref' is no valid URI fragment.")
  }
}
