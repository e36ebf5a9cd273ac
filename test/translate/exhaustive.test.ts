import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { programOf } from '../support/compiler.js'

// CONTRIBUTING.md promises that the compiler names every file that needs a line for a new kind.

const root = fileURLToPath(new URL('../..', import.meta.url))
const roots = ['src/index.ts', 'src/items.ts', 'src/dialects/index.ts', 'src/respond/insertable.ts'].map(
  (file) => root + file,
)

/** Of the files, those in which the compiler finds an error after one file's text was edited. Default: of all files. */
function filesToChange(file: string, before: string, after: string, files?: readonly string[]): string[] {
  const text = readFileSync(root + file, 'utf8')
  expect(text).toContain(before)
  // Without the types of Node: none of these files needs them.
  const program = programOf(roots, { types: [] }, new Map([[root + file, text.replace(before, after)]]))
  const checked = files?.map((path) => program.getSourceFile(root + path)) ?? [undefined]
  const diagnostics = checked.flatMap((source) => [
    ...program.getSemanticDiagnostics(source),
    ...program.getSyntacticDiagnostics(source),
  ])
  return [...new Set(diagnostics.flatMap((found) => found.file?.fileName ?? []))]
    .map((path) => relative(root, path))
    .sort()
}

test('a new type of output item makes the compiler name its events, its kind, its wording in every dialect and who may insert it', () => {
  const added = '  image_call: { type: "image_call"; id: string; status: ItemStatus }\n'
  const anchor = 'export interface OutputItemByType {\n'
  const named = [
    'src/dialects/open-responses.ts',
    'src/dialects/vllm.ts',
    'src/respond/insertable.ts',
    'src/responses/events.ts',
    'src/translate/full-catalog.ts',
    'src/translate/items/kinds.ts',
  ]
  expect(filesToChange('src/responses/items.ts', anchor, anchor + added, named)).toEqual(named)
})

test('a new kind of recipient without items makes the compiler name the router that would begin one', () => {
  const anchor = 'export type Recipient =\n'
  const named = ['src/translate/message-router.ts']
  const added = "  | { kind: 'image_call' }\n"
  expect(filesToChange('src/recipients/recipient.ts', anchor, anchor + added, named)).toEqual(named)
})

test('a new built-in tool makes the compiler ask for its descriptor', () => {
  const anchor = 'export interface Descriptors {\n'
  const file = 'src/recipients/builtins/index.ts'
  const added = '  readonly image_generation: typeof webSearch\n'
  expect(filesToChange(file, anchor, anchor + added, [file])).toEqual([file])
})

test('a descriptor of a built-in tool that lacks a fact is refused by the compiler, whichever fact it is', () => {
  const PLANTED: readonly (readonly [tool: string, fact: string])[] = [
    ['web-search', '  isInsertable: true,\n'],
    ['code-interpreter', "  isWaiting: ({ status }) => status === 'interpreting',\n"],
    ['shell', "  replacedBy: { label: 'container', tool: 'exec' },\n"],
    ['local-shell', '  recipientOf: () => EXEC,\n'],
    ['apply-patch', "  body: 'text',\n"],
  ]
  const texts = PLANTED.map(([tool, fact]) => {
    const path = `${root}src/recipients/builtins/${tool}.ts`
    const text = readFileSync(path, 'utf8')
    expect(text).toContain(fact)
    return [path, text.replace(fact, '')] as const
  })
  const program = programOf([`${root}src/recipients/builtins/index.ts`], { types: [] }, new Map(texts))
  for (const [index, [path]] of texts.entries()) {
    const found = program.getSemanticDiagnostics(program.getSourceFile(path))
    const fact = PLANTED[index]?.[1].trim().split(':')[0]
    expect(found.map(({ messageText }) => messageText)).toEqual([expect.stringContaining(`'${fact}' is missing`)])
  }
})
