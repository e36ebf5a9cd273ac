import type { Official } from '../../../support/official-parser.js'

/** The type of a tool's arguments, as the official renderer writes it. */
export function officialType(official: Official, schema: unknown): string {
  const text = official.renderContent({
    type: 'developer_content',
    instructions: null,
    tools: {
      functions: {
        name: 'functions',
        description: null,
        tools: [{ name: 'f', description: '', parameters: schema as never }],
      },
    },
  })
  const before = '# Tools\n\n## functions\n\nnamespace functions {\n\ntype f = (_: '
  const after = ') => any;\n\n} // namespace functions'
  if (!text.startsWith(before) || !text.endsWith(after)) throw new Error(`not a tool: ${text}`)
  return text.slice(before.length, -after.length)
}
