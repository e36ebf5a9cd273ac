import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { pageOf, root } from './pages.js'

/** The first cells of the table between two comments, without their backquotes. */
function cellsOf(table: string): string[] {
  const [, text = ''] = new RegExp(`<!-- ${table} -->\n([\\s\\S]*?)<!-- /${table} -->`).exec(page) ?? []
  return [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, cell = '']) => cell)
}

/** The members of a union of strings in a file of src/. */
function unionOf(file: string, name: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(`${root}src/${file}`, 'utf8'), ts.ScriptTarget.Latest)
  const alias = source.statements.find(
    (statement): statement is ts.TypeAliasDeclaration =>
      ts.isTypeAliasDeclaration(statement) && statement.name.text === name,
  )
  if (alias === undefined || !ts.isUnionTypeNode(alias.type)) throw new Error(`${file} has no union ${name}`)
  return alias.type.types.map((member) =>
    ts.isLiteralTypeNode(member) && ts.isStringLiteral(member.literal) ? member.literal.text : member.getText(source),
  )
}

const page = pageOf('docs/troubleshooting.md')

describe('the codes of docs/troubleshooting.md', () => {
  test.each([
    ['request codes', 'shared/request-error.ts', 'RequestErrorCode'],
    ['engine codes', 'engines/contract/engine-error.ts', 'EngineErrorCode'],
    ['caller codes', 'shared/errors.ts', 'ErrorCode'],
  ])('the %s are those of the types, each once', (table, file, name) => {
    expect(cellsOf(table).toSorted()).toEqual(unionOf(file, name).toSorted())
  })
})

describe('the messages of docs/troubleshooting.md', () => {
  // What the code fills in is `…` on the page.
  const sources = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(`${root}src/${file}`, 'utf8'))

  test.each(['start messages', 'engine messages'].flatMap((table) => cellsOf(table)))(
    '%s is what is said',
    (message) => {
      const parts = message.split('…').filter((part) => /\w{2}/.test(part))
      expect(parts).not.toEqual([])
      for (const part of parts)
        expect(
          sources.some((source) => source.includes(part.trim())),
          part,
        ).toBe(true)
    },
  )
})
