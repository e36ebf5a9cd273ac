import type { HarmonyMessage } from '../../../core/harmony/events.js'
import { PYTHON } from '../../../core/harmony/namespaces.js'

/** A tool as the prompt teaches it. */
export interface TaughtCallee {
  /** The recipient of a call: `functions.get_weather`, `python`. */
  readonly recipient: string
  /** The TypeScript type of its argument; undefined if it takes none. */
  readonly type: string | undefined
}

/**
 * Returns the last section with this heading: the text before it is the client's, and may contain a heading like it.
 */
function toolsOf(content: string): string | undefined {
  const [, text] = /^(?:[\s\S]*\n)?# Tools\n([\s\S]*)$/.exec(content) ?? []
  return text?.split('\n\n# ')[0]
}

/** Returns the tools that the prompt teaches, those of the developer message first. */
export function taughtCallees(head: readonly HarmonyMessage[]): TaughtCallee[] {
  return head.toReversed().flatMap(({ content }) => {
    const text = toolsOf(content) ?? ''
    const callees = Array.from(text.matchAll(NAMESPACE), ([, name = '', body = '']) =>
      Array.from(body.matchAll(TOOL), ([, tool, type]) => ({ recipient: `${name}.${tool}`, type })),
    ).flat()
    return text.includes(`\n## ${PYTHON}\n`) ? [...callees, { recipient: PYTHON, type: undefined }] : callees
  })
}

/**
 * Returns the schema in which the request demands its answer, or undefined in an object for one without a schema that can
 * be read; undefined if it demands none.
 */
export function taughtFormat(head: readonly HarmonyMessage[]): { readonly schema: object | undefined } | undefined {
  const [, text] = /^(?:[\s\S]*\n)?# Response Formats\n\n([\s\S]*)$/.exec(head.at(-1)?.content ?? '') ?? []
  if (text === undefined) return undefined
  try {
    const schema: unknown = JSON.parse(text.slice(text.lastIndexOf('\n{') + 1))
    return { schema: typeof schema === 'object' && schema !== null ? schema : undefined }
  } catch {
    return { schema: undefined }
  }
}

const NAMESPACE = /^namespace (\S+) \{\n([\s\S]*?)^\} \/\/ namespace \1$/gm
const TOOL = /^type (\S+) = \((?:_: ([\s\S]*?))?\) => any;$/gm
