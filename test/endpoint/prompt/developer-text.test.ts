import fc from 'fast-check'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { developerText } from '../../../src/endpoint/prompt/developer-text.js'
import { nameText } from '../../../src/endpoint/prompt/schema/one-line.js'
import type { ResponseFormat, TaughtTool, ToolNamespace } from '../../../src/endpoint/prompt/tool-namespace.js'
import { RUNS } from '../../support/runs.js'
import { aliasesOf, hasKnownLetters, headingsOf } from './schema/breakout.js'
import { hostileSchema, hostileText, PAYLOADS } from './schema/hostile.js'

// That it is the official text is a property: render-messages.test.ts.

const namespaces: ToolNamespace[] = [
  {
    name: 'functions',
    tools: [
      { name: 'now', description: 'The time.' },
      { name: 'run_sql', description: 'Runs a query.\nOnly reads.', parameters: 'text' },
      { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } },
    ],
  },
  { name: 'mcp.docs', description: 'The handbook.', tools: [{ name: 'search', parameters: null }] },
]

describe('the text of the developer message', () => {
  test('the developer message has instructions, tools and response formats', () => {
    const formats: ResponseFormat[] = [
      {
        name: 'shopping_list',
        description: 'What to buy.\nSorted.',
        schema: { type: 'array', items: { type: 'string' } },
      },
      { name: 'anything', schema: {} },
    ]
    expect(developerText({ instructions: 'Be brief.\n', namespaces, formats })).toBe(
      [
        '# Instructions',
        '',
        'Be brief.',
        '',
        '',
        '# Tools',
        '',
        '## functions',
        '',
        'namespace functions {',
        '',
        '// The time.',
        'type now = () => any;',
        '',
        '// Runs a query.',
        '// Only reads.',
        '// Its input is free text, not JSON.',
        'type run_sql = (_: string) => any;',
        '',
        'type weather = (_: {',
        'city: string,',
        '}) => any;',
        '',
        '} // namespace functions',
        '',
        '## mcp.docs',
        '',
        '// The handbook.',
        'namespace mcp.docs {',
        '',
        'type search = () => any;',
        '',
        '} // namespace mcp.docs',
        '',
        '# Response Formats',
        '',
        '## shopping_list',
        '',
        '// What to buy.',
        '// Sorted.',
        '{"type":"array","items":{"type":"string"}}',
        '',
        '## anything',
        '',
        '{}',
      ].join('\n'),
    )
  })

  test('the developer message is absent if there is nothing to say', () => {
    expect(developerText({ namespaces: [], formats: [] })).toBeUndefined()
    expect(developerText({ instructions: '', namespaces: [], formats: [] })).toBeUndefined()
    expect(developerText({ instructions: null, namespaces: [{ name: 'a', tools: [] }], formats: [] })).toBeUndefined()
  })

  test('the developer message says nothing of a schema that is absent', () => {
    expect(developerText({ namespaces: [], formats: [{ name: 'x', schema: undefined }] })).toBe(
      '# Response Formats\n\n## x\n',
    )
  })
})

const hostileTool = (): fc.Arbitrary<TaughtTool> =>
  fc.record({
    name: hostileText(),
    description: fc.option(hostileText()),
    parameters: fc.oneof(hostileSchema(), fc.constant('text'), fc.constant(null)),
  })

const hostileNamespace = (): fc.Arbitrary<ToolNamespace> =>
  fc.record({
    name: hostileText(),
    description: fc.option(hostileText()),
    tools: fc.array(hostileTool(), { maxLength: 3 }),
  })

const hostileFormat = (): fc.Arbitrary<ResponseFormat> =>
  fc.record({ name: hostileText(), description: fc.option(hostileText()), schema: hostileSchema() })

/** The lines that begin the parts of the text, and nothing else may begin so. */
function expectedHeadings(taught: readonly ToolNamespace[], formats: readonly ResponseFormat[]): unknown[] {
  const parts = taught
    .filter(({ tools }) => tools.length > 0)
    .flatMap(({ name, tools }) => [
      `## ${nameText(name)}`,
      `namespace ${nameText(name)} {`,
      ...tools.map((tool) => expect.stringContaining(`type ${nameText(tool.name)} = (`)),
      `} // namespace ${nameText(name)}`,
    ])
  const asked = formats.map(({ name }) => `## ${nameText(name)}`)
  return [
    ...(parts.length > 0 ? ['# Tools', ...parts] : []),
    ...(asked.length > 0 ? ['# Response Formats', ...asked] : []),
  ]
}

/** The namespaces of a text, with names that TypeScript takes in place of their own, which another test checks. */
function renamed(text: string, taught: readonly ToolNamespace[]): string[] {
  let rest = text
  return taught
    .filter(({ tools }) => tools.length > 0)
    .map(({ name, tools }) => {
      const [opening, closing] = [`\nnamespace ${nameText(name)} {\n`, `\n} // namespace ${nameText(name)}`]
      const start = rest.indexOf(opening)
      const end = rest.indexOf(closing, start)
      let body = rest.slice(start + opening.length, end)
      rest = rest.slice(end + closing.length)
      for (const [index, tool] of tools.entries())
        body = body.replace(`\ntype ${nameText(tool.name)} = (`, () => `\ntype t${index} = (`)
      return `namespace n {\n${body}\n}`
    })
}

describe('a hostile request', () => {
  test('a hostile request cannot add a part to the developer message', () => {
    const request = fc.tuple(
      fc.array(hostileNamespace(), { maxLength: 3 }),
      fc.array(hostileFormat(), { maxLength: 2 }),
    )
    const known = request.filter((parts) => hasKnownLetters(JSON.stringify(parts)))
    fc.assert(
      fc.property(known, ([namespaces, formats]) => {
        const text = developerText({ namespaces, formats }) ?? ''
        expect(headingsOf(text)).toEqual(expectedHeadings(namespaces, formats))
        const taught = namespaces.filter(({ tools }) => tools.length > 0)
        for (const [index, namespace] of renamed(text, taught).entries()) {
          const names = taught[index]?.tools.map((_, at) => `t${at}`)
          expect(aliasesOf(namespace).aliases).toEqual(names)
        }
      }),
      { numRuns: RUNS },
    )
  })

  test('a hostile request cannot end the line that a name is on', () => {
    const check = (name: string): void => {
      const text = nameText(name)
      if (/^[\p{L}\p{N}\p{M}_$.:@/-]+$/u.test(text)) {
        expect(text).toBe(name)
        expect(text).not.toContain('//')
        return
      }
      const source = ts.createSourceFile('name.ts', text, ts.ScriptTarget.ESNext, true)
      const literals = source.statements.map((statement) =>
        ts.isExpressionStatement(statement) && ts.isStringLiteral(statement.expression)
          ? statement.expression.text
          : null,
      )
      expect(literals).toEqual([name.replace(/\p{Cs}/gu, '\ufffd')])
      expect(text).not.toMatch(/[\n\v\f\r\u0085\u2028\u2029]/)
    }
    for (const payload of PAYLOADS) check(payload)
    fc.assert(fc.property(hostileText(), check), { numRuns: RUNS })
  })
})
