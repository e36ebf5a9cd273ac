import type { HarmonyMessage } from '../../../harmony/events.js'
import { PYTHON } from '../../../harmony/namespaces.js'

/** A tool as the prompt teaches it. */
export interface TaughtCallee {
  /** Whom a call is for: `functions.get_weather`, `python`. */
  readonly recipient: string
  /** The type of its argument, in TypeScript; undefined if it has none. */
  readonly type: string | undefined
}

/** The last section of this name: what comes before it is the client's, who may have a heading like it. */
function toolsOf(content: string): string | undefined {
  const [, text] = /^(?:[\s\S]*\n)?# Tools\n([\s\S]*)$/.exec(content) ?? []
  return text?.split('\n\n# ')[0]
}

/** The tools that the prompt teaches: those of the developer message first. */
export function taughtCallees(head: readonly HarmonyMessage[]): TaughtCallee[] {
  return head.toReversed().flatMap(({ content }) => {
    const text = toolsOf(content) ?? ''
    const callees = Array.from(text.matchAll(NAMESPACE), ([, name = '', body = '']) =>
      Array.from(body.matchAll(TOOL), ([, tool, type]) => ({ recipient: `${name}.${tool}`, type })),
    ).flat()
    return text.includes(`\n## ${PYTHON}\n`) ? [...callees, { recipient: PYTHON, type: undefined }] : callees
  })
}

const NAMESPACE = /^namespace (\S+) \{\n([\s\S]*?)^\} \/\/ namespace \1$/gm
const TOOL = /^type (\S+) = \((?:_: ([\s\S]*?))?\) => any;$/gm
