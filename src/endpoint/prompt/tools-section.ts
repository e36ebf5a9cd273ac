import { atOnce, createWork, type Slices, type Work } from '../../shared/slices.js'
import type { KnownTypes } from './known-types.js'
import { commentLines, linesOf, nameText } from './schema/one-line.js'
import { typescriptInSlices } from './schema/typescript.js'
import type { TaughtTool, ToolNamespace } from './tool-namespace.js'

/**
 * Writes the `# Tools` of a system or developer message: each namespace with its tools as TypeScript function types.
 */
export function toolsSection(namespaces: readonly ToolNamespace[]): string {
  return atOnce(toolsSectionInSlices(namespaces, createWork()))
}

/** Does the same in slices. @param types - the cache of the types of listed tools */
export function* toolsSectionInSlices(
  namespaces: readonly ToolNamespace[],
  work: Work,
  types?: KnownTypes,
): Slices<string> {
  const texts: string[] = []
  for (const namespace of namespaces) texts.push(yield* namespaceText(namespace, work, types))
  return ['# Tools', ...texts].join('\n\n')
}

function* namespaceText(
  { name, description, tools }: ToolNamespace,
  work: Work,
  types: KnownTypes | undefined,
): Slices<string> {
  const title = nameText(name)
  const heading = `## ${title}\n`
  // Without tools, the description is all that the model learns about the namespace: prose, as for python.
  if (tools.length === 0) return [heading, ...linesOf(description ?? '')].join('\n')
  const lines = [heading, ...commentLines(description ?? ''), `namespace ${title} {\n`]
  for (const tool of tools) {
    const text = (yield* toolLines(tool, work, tool.isListed ? types : undefined)).join('\n')
    lines.push(text)
    work.left -= text.length
    if (work.left <= 0) yield* work.pause()
  }
  return [...lines, `} // namespace ${title}`].join('\n')
}

function* toolLines(
  { name, description, parameters }: TaughtTool,
  work: Work,
  types: KnownTypes | undefined,
): Slices<string[]> {
  const lines = commentLines(description ?? '')
  if (parameters === FREE_TEXT) lines.push('// Its input is free text, not JSON.')
  return [...lines, `type ${nameText(name)} = (${yield* argument(parameters, work, types)}) => any;\n`]
}

const FREE_TEXT = 'text'

function* argument(parameters: unknown, work: Work, types: KnownTypes | undefined): Slices<string> {
  if (parameters == null) return ''
  return `_: ${parameters === FREE_TEXT ? 'string' : yield* typeOf(parameters, work, types)}`
}

function* typeOf(schema: unknown, work: Work, types: KnownTypes | undefined): Slices<string> {
  if (types === undefined || typeof schema !== 'object' || schema === null) {
    return yield* typescriptInSlices(schema, work)
  }
  const known = types.find(schema)
  if (known !== undefined) return known
  const type = yield* typescriptInSlices(schema, work)
  types.add(schema, type)
  return type
}
