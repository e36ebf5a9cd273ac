import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'

// CONTRIBUTING.md promises that the compiler names every file that needs a line for a new kind.

const root = fileURLToPath(new URL('../..', import.meta.url))
const roots = ['src/index.ts', 'src/items.ts', 'src/dialects/index.ts', 'src/respond/insertable.ts'].map(
  (file) => root + file,
)
const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)

/** Parsed files that no test edits, cached because reading the compiler's libraries takes most of the time. */
const parsed = new Map<string, ts.SourceFile | undefined>()

/** The files in which the compiler finds an error after one file's text was edited. */
function filesToChange(file: string, before: string, after: string): string[] {
  const text = readFileSync(root + file, 'utf8')
  expect(text).toContain(before)
  const host = ts.createCompilerHost(options)
  const { getSourceFile } = host
  host.getSourceFile = (path, target) => {
    if (path === root + file) return ts.createSourceFile(path, text.replace(before, after), target, true)
    if (!parsed.has(path)) parsed.set(path, getSourceFile(path, target))
    return parsed.get(path)
  }
  const program = ts.createProgram(roots, options, host)
  const diagnostics = [...program.getSemanticDiagnostics(), ...program.getSyntacticDiagnostics()]
  return [...new Set(diagnostics.flatMap((found) => found.file?.fileName ?? []))]
    .map((path) => relative(root, path))
    .sort()
}

test('a new type of output item makes the compiler name its events, its kind, its wording in every dialect and who may insert it', () => {
  const added = '  image_call: { type: "image_call"; id: string; status: ItemStatus }\n'
  const anchor = 'export interface OutputItemByType {\n'
  const named = [
    'dialects/open-responses',
    'dialects/vllm',
    'respond/insertable',
    'responses/events',
    'translate/full-catalog',
    'translate/items/kinds',
  ]
  expect(filesToChange('src/responses/items.ts', anchor, anchor + added)).toEqual(
    expect.arrayContaining(named.map((name) => `src/${name}.ts`)),
  )
})

test('a new kind of recipient without items makes the compiler name the router that would begin one', () => {
  const anchor = 'export type Recipient =\n'
  expect(filesToChange('src/recipients/recipient.ts', anchor, `${anchor}  | { kind: 'image_call' }\n`)).toContain(
    'src/translate/message-router.ts',
  )
})

test('a new built-in tool makes the compiler ask how it is declared and what a call of it becomes', () => {
  const anchor = 'export type BuiltinTool = '
  expect(filesToChange('src/recipients/builtin-tools.ts', anchor, `${anchor}'image_generation' | `)).toEqual([
    'src/recipients/builtin-tools.ts',
    'src/recipients/builtins.ts',
  ])
})
