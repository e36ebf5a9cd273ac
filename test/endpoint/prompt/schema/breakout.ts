import ts from 'typescript'
import { expect } from 'vitest'

/** The content of a namespace of the prompt, as the compiler reads it. Throws if there is anything else. */
export function aliasesOf(text: string): { namespace: string; aliases: string[] } {
  const source = ts.createSourceFile('prompt.ts', text, ts.ScriptTarget.ESNext, true)
  const { parseDiagnostics } = source as unknown as { parseDiagnostics: ts.Diagnostic[] }
  const errors = parseDiagnostics.map(
    ({ messageText, start = 0 }) => `${messageText} at ${text.slice(start, start + 40)}`,
  )
  expect(errors, text).toEqual([])
  expect(source.statements, text).toHaveLength(1)
  const [statement] = source.statements
  if (statement === undefined || !ts.isModuleDeclaration(statement)) throw new Error(`no namespace: ${text}`)
  if (statement.body === undefined || !ts.isModuleBlock(statement.body)) throw new Error(`no body: ${text}`)
  const aliases = statement.body.statements.map((alias) => {
    if (!ts.isTypeAliasDeclaration(alias) || !ts.isFunctionTypeNode(alias.type)) throw new Error(`no function: ${text}`)
    expect(alias.type.parameters.length, text).toBeLessThan(2)
    return alias.name.text
  })
  return { namespace: statement.name.text, aliases }
}

/** The lines of a text, by any kind of line end, that begin like a part of the message. */
export function headingsOf(text: string): string[] {
  return text
    .split(/[\n\v\f\r\u0085\u2028\u2029]/)
    .filter((line) => /^(\s*(#|type .*=|namespace|```)|\} \/\/)/.test(line))
}

/** A word that both TypeScript and JavaScript's regular expressions take for the same kind of word. */
export function hasKnownLetters(text: string): boolean {
  return Array.from(text).every((letter) => {
    const code = letter.codePointAt(0) as number
    return code < 128 || /\p{ID_Continue}/u.test(letter) === ts.isIdentifierPart(code, ts.ScriptTarget.ESNext)
  })
}
