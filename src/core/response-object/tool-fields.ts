import { undatedType } from '../recipients/undated-type.js'
import type { UnknownTool } from '../responses/request.js'

/**
 * The fields of a request's tools that are echoed, each list as words. An allowlist, because a blocklist would miss the
 * next secret field.
 */
export interface EchoedFields {
  /** The fields of each type of tool besides `type` and `name`. Only these types are known. */
  readonly tools: { readonly [type: string]: string }
  /** The fields of an object inside a tool, by the name of the field that holds it. */
  readonly objects: { readonly [field: string]: string }
}

/** Returns the request's tool types without fields here, each once: misspelled, or newer than this library. */
export function unknownToolTypes(tools: readonly UnknownTool[], { tools: known }: EchoedFields): Set<string> {
  const unknown = tools.flatMap(({ type, tools: inside = [] }: UnknownTool & { tools?: UnknownTool[] }) => [
    ...(Object.hasOwn(known, undatedType(type)) ? [] : [type]),
    ...(type === 'namespace'
      ? inside.map((tool) => tool.type).filter((each) => !/^(function|custom)$/.test(each))
      : []),
  ])
  return new Set(unknown)
}
