import { commentLines, linesOf, nameText } from './schema/one-line.js'
import { typescriptOf } from './schema/typescript.js'
import type { TaughtTool, ToolNamespace } from './tool-namespace.js'

/** The `# Tools` of a system or developer message: each namespace with its tools as TypeScript function types. */
export function toolsSection(namespaces: readonly ToolNamespace[]): string {
  return ['# Tools', ...namespaces.map(namespaceText)].join('\n\n')
}

function namespaceText({ name, description, tools }: ToolNamespace): string {
  const title = nameText(name)
  const heading = `## ${title}\n`
  // Without tools, the description is all that the model learns about the namespace: prose, as for python.
  if (tools.length === 0) return [heading, ...linesOf(description ?? '')].join('\n')
  return [
    heading,
    ...commentLines(description ?? ''),
    `namespace ${title} {\n`,
    ...tools.flatMap(toolLines),
    `} // namespace ${title}`,
  ].join('\n')
}

function toolLines({ name, description, parameters }: TaughtTool): string[] {
  const lines = commentLines(description ?? '')
  if (parameters === FREE_TEXT) lines.push('// Its input is free text, not JSON.')
  return [...lines, `type ${nameText(name)} = (${argument(parameters)}) => any;\n`]
}

const FREE_TEXT = 'text'

function argument(parameters: unknown): string {
  if (parameters == null) return ''
  return `_: ${parameters === FREE_TEXT ? 'string' : typescriptOf(parameters)}`
}
