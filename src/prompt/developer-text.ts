import { atOnce, createWork, type Slices, type Work } from '../slices.js'
import { jsonText } from './schema/json-text.js'
import { commentLines, nameText } from './schema/one-line.js'
import type { ResponseFormat, ToolNamespace } from './tool-namespace.js'
import { toolsSectionInSlices } from './tools-section.js'

export interface DeveloperTextOptions {
  /** The client's. An empty text is none. */
  readonly instructions?: string | null | undefined
  /** In the order in which they are taught. Those without tools are left out. */
  readonly namespaces: readonly ToolNamespace[]
  readonly formats: readonly ResponseFormat[]
}

/**
 * The text of the developer message: the official renderer's developer content, and the response formats that the
 * format's description has after it. Undefined if there is nothing to say.
 */
export function developerText(options: DeveloperTextOptions): string | undefined {
  return atOnce(developerTextInSlices(options, createWork()))
}

/** The same in slices. */
export function* developerTextInSlices(
  { instructions, namespaces, formats }: DeveloperTextOptions,
  work: Work,
): Slices<string | undefined> {
  const sections: string[] = []
  if (instructions != null && instructions !== '') sections.push('# Instructions', instructions)
  const taught = namespaces.filter(({ tools }) => tools.length > 0)
  if (taught.length > 0) sections.push(yield* toolsSectionInSlices(taught, work))
  if (formats.length > 0) sections.push('# Response Formats', ...formats.map(formatText))
  return sections.length === 0 ? undefined : sections.join('\n\n')
}

function formatText({ name, description, schema }: ResponseFormat): string {
  const lines = commentLines(description ?? '')
  if (schema != null) lines.push(jsonText(schema))
  return [`## ${nameText(name)}\n`, ...lines].join('\n')
}
