import { atOnce, createWork, type Slices, type Work } from '../../shared/slices.js'
import type { KnownTypes } from './known-types.js'
import { jsonText } from './schema/json-text.js'
import { commentLines, nameText } from './schema/one-line.js'
import type { ResponseFormat, ToolNamespace } from './tool-namespace.js'
import { toolsSectionInSlices } from './tools-section.js'

export interface DeveloperTextOptions {
  /** The client's instructions. An empty text counts as none. */
  readonly instructions?: string | null | undefined
  /** The namespaces in the order in which they are taught. Those without tools are omitted. */
  readonly namespaces: readonly ToolNamespace[]
  readonly formats: readonly ResponseFormat[]
  /** The cache of the types of listed tools. */
  readonly types?: KnownTypes | undefined
}

/**
 * Returns the text of the developer message: the official renderer's developer content, followed by the response
 * formats, as the format's description has them. Undefined if it would be empty.
 */
export function developerText(options: DeveloperTextOptions): string | undefined {
  return atOnce(developerTextInSlices(options, createWork()))
}

/** Does the same in slices. */
export function* developerTextInSlices(
  { instructions, namespaces, formats, types }: DeveloperTextOptions,
  work: Work,
): Slices<string | undefined> {
  const sections: string[] = []
  if (instructions != null && instructions !== '') sections.push('# Instructions', instructions)
  const taught = namespaces.filter(({ tools }) => tools.length > 0)
  if (taught.length > 0) sections.push(yield* toolsSectionInSlices(taught, work, types))
  if (formats.length > 0) sections.push('# Response Formats')
  for (const format of formats) sections.push(formatText(format))
  return sections.length === 0 ? undefined : sections.join('\n\n')
}

function formatText({ name, description, schema }: ResponseFormat): string {
  const lines = commentLines(description ?? '')
  if (schema != null) lines.push(jsonText(schema))
  return [`## ${nameText(name)}\n`, ...lines].join('\n')
}
