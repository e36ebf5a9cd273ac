import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { typescriptOf } from '../../../src/endpoint/prompt/schema/typescript.js'
import { describeWithShared, sharedFolder } from '../../support/shared-data.js'
import { GOLDEN_TOOLS } from './golden/schemas.js'
import { aliasesOf } from './schema/breakout.js'

/** golden/schemas.md: `npx vitest run test/endpoint/prompt/golden.test.ts -u` writes it anew. */
const page = [
  '# Tools as the model reads them',
  '',
  'The tools of `schemas.ts`, each with the function type that the prompt teaches. `npx vitest run',
  'test/endpoint/prompt/golden.test.ts -u` writes this page anew: read what it changes.',
  ...GOLDEN_TOOLS.flatMap(({ title, parameters }) => [
    '',
    `## ${title}`,
    '',
    '```json',
    prettyJson(parameters),
    '```',
    '',
    '```ts',
    `type tool = (_: ${typescriptOf(parameters)}) => any;`,
    '```',
  ]),
  '',
].join('\n')

/** JSON on one line where it fits or is deep, otherwise with a line for each field. */
function prettyJson(value: unknown, indent = ''): string {
  const text = JSON.stringify(value).replaceAll('\u2028', '\\u2028')
  if (text.length + indent.length <= 100 || indent.length > 20 || typeof value !== 'object' || value === null)
    return text
  const inner = `${indent}  `
  const lines = Array.isArray(value)
    ? value.map((item) => `${inner}${prettyJson(item, inner)}`)
    : Object.entries(value).map(([key, field]) => `${inner}${JSON.stringify(key)}: ${prettyJson(field, inner)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`
}

describe('the golden tools', () => {
  test('the 61 golden tools have names of their own', () => {
    expect(GOLDEN_TOOLS).toHaveLength(61)
    expect(new Set(GOLDEN_TOOLS.map(({ title }) => title)).size).toBe(61)
  })

  test('the golden tools are taught as golden/schemas.md shows', async () => {
    await expect(page).toMatchFileSnapshot('golden/schemas.md')
  })

  test.each(GOLDEN_TOOLS)('a golden tool is taught in TypeScript: $title', ({ parameters }) => {
    const text = `namespace functions {\ntype tool = (_: ${typescriptOf(parameters)}) => any;\n}`
    expect(aliasesOf(text).aliases).toEqual(['tool'])
  })
})

/** The shapes of a schema and of those in it: their types and keywords. */
function shapesOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return []
  const fields = schema as Readonly<Record<string, unknown>>
  const named = ['properties', '$defs', 'definitions'].flatMap((keyword) => Object.values(Object(fields[keyword])))
  const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems'].flatMap((keyword) => (fields[keyword] ?? []) as unknown[])
  const inner = [...named, ...lists, fields['items'], fields['additionalProperties']]
  const keywords = Object.keys(fields).filter((keyword) => keyword !== 'type')
  return [`${fields['type']}: ${keywords.sort().join(' ')}`, ...inner.flatMap(shapesOf)]
}

interface Tool {
  readonly parameters?: unknown
  readonly function?: { readonly parameters?: unknown }
  readonly tools?: readonly Tool[]
}

const schemasOf = (tool: Tool): unknown[] => [
  tool.parameters ?? tool.function?.parameters,
  ...(tool.tools ?? []).flatMap(schemasOf),
]

describeWithShared('the tools of real clients', () => {
  const folder = join(sharedFolder() as string, 'data', 'requests')
  const requests = readdirSync(folder).filter((name) => name.endsWith('.json') && name !== 'index.json')
  const tools = requests.flatMap((name) => {
    const { body } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { body?: { tools?: readonly Tool[] } }
    return (body?.tools ?? []).flatMap(schemasOf)
  })

  test('the tools of real clients have no shape that no golden tool has', () => {
    const golden = new Set(GOLDEN_TOOLS.flatMap(({ parameters }) => shapesOf(parameters)))
    const shapes = new Set(tools.flatMap(shapesOf))
    expect(shapes.size).toBeGreaterThan(10)
    expect([...shapes].filter((shape) => !golden.has(shape))).toEqual([])
  })

  test('the tools of real clients become TypeScript', () => {
    for (const schema of tools.filter((schema) => schema != null)) {
      expect(aliasesOf(`namespace n {\ntype t = (_: ${typescriptOf(schema)}) => any;\n}`).aliases).toEqual(['t'])
    }
  })
})
