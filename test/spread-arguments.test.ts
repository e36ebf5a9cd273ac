import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { syntaxOf } from './support/compiler.js'

/*
 * The arguments of a call lie on the stack: `list.push(...data)` throws a RangeError from some 125,000 entries on, or
 * fewer, by the runtime and by how deep the call is. So only what the source itself bounds may be spread into a call:
 * array literals, constants, and the rest parameters of the function that passes them on.
 */

/** Spreads of lists that are short for another reason, such as tuples, by file and callee. */
const SHORT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'core/options/ids.ts': { 'String.fromCharCode': 'the digits of one id' },
  'core/recipients/check-policy.ts': { oneOf: 'words of a policy' },
  'endpoint/prompt/prompt-messages.ts': { oneOf: 'names of built-in tools' },
  'cli/timeline-layout.ts': { line: 'the columns of a row' },
  'judge/conformance/clients/agreement/agreed-item.ts': { 'Math.max': 'at most MAX_VALUES counts' },
  'engines/sources/structured-outputs/xgrammar-schema.ts': {
    'Math.max': 'two keywords',
    'Math.min': 'two keywords',
  },
  'page/look/packed-text.ts': { 'String.fromCharCode': 'a slice of 1,024 bytes' },
  'endpoint/stores/sqlite/worker.ts': { operation: 'the parameters of an operation' },
  'endpoint/respond/outbox.ts': { 'this.#fold.apply': 'no function: it takes an entry and its time' },
  'endpoint/respond/prompts/prompt-of-entry.ts': { 'fold.apply': 'no function: it takes an entry and its time' },
  'endpoint/respond/response-loop.ts': { 'fold.apply': 'no function: it takes an entry and its time' },
  'endpoint/stores/postgres/appends.ts': { run: 'the columns of a statement' },
  'endpoint/respond/translate-entries.ts': { 'fold.apply': 'no function: it takes an entry and its time' },
  'judge/conformance/check-source.ts': { report: 'a tuple' },
  'judge/conformance/schemas/events.ts': { oneOf: 'the events of an item' },
  'judge/probe/probe.ts': { oneOf: 'names of profiles' },
  'testing/options.ts': { oneOf: 'kinds of constraints' },
  'testing/check-store/world.ts': { block: 'the entries of a rule' },
  'testing/check-store/rules.ts': { chain: 'the responses of a rule' },
  'testing/check-store/model.ts': { block: 'the entries of one call' },
  // The generators of streams: alternatives, and parts of one message.
  'judge/conformance/arbitraries/text.ts': { 'fc.constantFrom': 'words' },
  'judge/conformance/arbitraries/header-soup.ts': { 'fc.constantFrom': 'words of headers' },
  'judge/conformance/arbitraries/edited-transcript.ts': { 'fc.constantFrom': 'words of headers' },
  'judge/conformance/arbitraries/token-soup.ts': { 'fc.constantFrom': 'kinds of tokens' },
  'judge/conformance/arbitraries/source-plan.ts': { 'fc.constantFrom': 'the tokens of a short plan' },
  'judge/conformance/arbitraries/faults/faulty-stream.ts': { 'fc.constantFrom': 'kinds of faults' },
  'judge/conformance/arbitraries/transcript-writer.ts': { model: 'the parts of a header' },
  'judge/conformance/arbitraries/malformed/borders.ts': { model: 'the parts of a message' },
  'judge/conformance/arbitraries/malformed/calls.ts': { model: 'the parts of a header' },
  'judge/conformance/arbitraries/malformed/headers.ts': { model: 'the parts of a header' },
  'judge/conformance/arbitraries/malformed/malformed-transcript.ts': {
    model: 'the parts of an opening',
    'fc.oneof': 'shapes',
    'Math.max': 'names of tools',
  },
}

/** A file, by its path in `src/`, and all others. */
interface File {
  readonly path: string
  readonly tree: ts.SourceFile
  readonly other: (path: string) => ts.SourceFile | undefined
}

/** The lists that a call spreads: by `...`, or as `apply` of a function does. */
function spreadBy(node: ts.CallExpression | ts.NewExpression): ts.Expression[] {
  const lists = (node.arguments ?? []).flatMap((one) => (ts.isSpreadElement(one) ? [one.expression] : []))
  if (!ts.isPropertyAccessExpression(node.expression)) return lists
  const { name, expression } = node.expression
  const isReflect = expression.getText() === 'Reflect'
  const at = name.text === 'apply' ? (isReflect ? 2 : 1) : isReflect && name.text === 'construct' ? 1 : -1
  const applied = node.arguments?.[at]
  return applied === undefined ? lists : [...lists, applied]
}

/** Whether the source bounds a list. */
function isBounded(node: ts.Expression, file: File): boolean {
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) {
    return isBounded(node.expression, file)
  }
  if (ts.isArrayLiteralExpression(node)) {
    return node.elements.every((one) => !ts.isSpreadElement(one) || isBounded(one.expression, file))
  }
  if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse].every((one) => isBounded(one, file))
  if (ts.isIdentifier(node)) return isFixed(node, file)
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false
  const { expression: of, name } = node.expression
  const [first] = node.arguments
  if (of.getText() === 'Object') return first !== undefined && ts.isIdentifier(first) && isFixed(first, file)
  return /^(?:map|filter|slice|to(?:Reversed|Sorted))$/.test(name.text) && isBounded(of, file)
}

/** Whether a name is that of a rest parameter, or of a constant with a literal: its innermost declaration decides. */
function isFixed(name: ts.Identifier, file: File): boolean {
  for (let scope: ts.Node | undefined = name.parent; scope !== undefined; scope = scope.parent) {
    const variable = isLoop(scope) ? scope.initializer : undefined
    if (variable !== undefined && ts.isVariableDeclarationList(variable) && declares(variable, name.text)) return false
    if (ts.isFunctionLike(scope)) {
      const own = scope.parameters.find((each) => namesIn(each).includes(name.text))
      if (own !== undefined) return own.dotDotDotToken !== undefined
    }
    if (ts.isBlock(scope) || ts.isSourceFile(scope)) {
      const declared = declarationOf(name.text, scope.statements)
      if (declared !== undefined) return isLiteral(declared, file)
    }
  }
  for (const statement of file.tree.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue
    const { namedBindings: names } = statement.importClause ?? {}
    const imported =
      names && ts.isNamedImports(names) ? names.elements.find((one) => one.name.text === name.text) : undefined
    if (imported === undefined) continue
    const path = posix.join(posix.dirname(file.path), statement.moduleSpecifier.text).replace(/\.js$/, '.ts')
    const tree = file.other(path)
    const declared = tree && declarationOf((imported.propertyName ?? imported.name).text, tree.statements)
    return declared !== undefined && isLiteral(declared, { ...file, path, tree: tree as ts.SourceFile })
  }
  return false
}

const isLoop = (node: ts.Node): node is ts.ForOfStatement | ts.ForInStatement | ts.ForStatement =>
  ts.isForOfStatement(node) || ts.isForInStatement(node) || ts.isForStatement(node)

/** The names that a parameter or a variable binds. */
const namesIn = ({ name }: ts.ParameterDeclaration | ts.VariableDeclaration): readonly string[] =>
  name.getText().match(/[\w$]+/g) ?? []

const declares = ({ declarations }: ts.VariableDeclarationList, name: string): boolean =>
  declarations.some((each) => namesIn(each).includes(name))

/** The list that declares a variable, among the statements of a block. */
function declarationOf(name: string, statements: readonly ts.Statement[]): ts.VariableDeclarationList | undefined {
  const lists = statements.flatMap((one) => (ts.isVariableStatement(one) ? [one.declarationList] : []))
  return lists.find((list) => declares(list, name))
}

/**
 * Whether it declares a constant with a literal that has entries: an empty one is there to be filled.
 */
function isLiteral({ declarations, flags }: ts.VariableDeclarationList, file: File): boolean {
  const [only, ...others] = declarations
  let value = only?.initializer
  if (value === undefined || others.length > 0 || !(flags & ts.NodeFlags.Const)) return false
  while (ts.isAsExpression(value) || ts.isSatisfiesExpression(value)) value = value.expression
  if (ts.isObjectLiteralExpression(value)) return value.properties.length > 0
  return (!ts.isArrayLiteralExpression(value) || value.elements.length > 0) && isBounded(value, file)
}

/** The calls in a file that spread a list of unknown length. */
function unboundedSpreads(file: File): { at: string; file: string; callee: string }[] {
  const found: { at: string; file: string; callee: string }[] = []
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit)
    if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return
    for (const list of spreadBy(node)) {
      if (isBounded(list, file)) continue
      const { line } = file.tree.getLineAndCharacterOfPosition(list.getStart())
      found.push({ at: `${file.path}:${line + 1}`, file: file.path, callee: node.expression.getText() })
    }
  }
  visit(file.tree)
  return found
}

test('no call spreads a list of unknown length into its arguments', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  const texts = new Map(
    files
      .filter((path) => path.endsWith('.ts') && !path.includes('generated'))
      .map((path) => [path, readFileSync(`src/${path}`, 'utf8')]),
  )
  const trees = new Map<string, ts.SourceFile>()
  const treeOf = (path: string): ts.SourceFile | undefined => {
    const text = texts.get(path)
    const tree = trees.get(path) ?? (text === undefined ? undefined : syntaxOf(path, text))
    if (tree !== undefined) trees.set(path, tree)
    return tree
  }
  // Parsing takes the time.
  const spreading = [...texts].filter(([, text]) => /[(,]\s*\.\.\.|\.apply\(|Reflect\./.test(text))
  const found = spreading.flatMap(([path]) =>
    unboundedSpreads({ path, tree: treeOf(path) as ts.SourceFile, other: treeOf }),
  )
  const isShort = ({ file, callee }: { file: string; callee: string }) => SHORT[file]?.[callee] !== undefined
  expect(found.filter((one) => !isShort(one)).map(({ at, callee }) => `${at} ${callee}`)).toEqual([])
  // An exception that nothing needs any more is deleted.
  const unused = Object.entries(SHORT).flatMap(([file, callees]) =>
    Object.keys(callees).filter((callee) => !found.some((one) => one.file === file && one.callee === callee)),
  )
  expect(unused).toEqual([])
})

test.each([
  ['list.push(...data)', true],
  ['list.push(1, ...data.map(String))', true],
  ['Math.max(...data)', true],
  ['String.fromCharCode(...new Uint8Array(9))', true],
  ['[].concat(...data)', true],
  ['new Array(...data)', true],
  ['list.push(...[1, ...data])', true],
  ['list.push(...(data.length > 1 ? data : []))', true],
  ['Math.max.apply(null, data)', true],
  ['Reflect.apply(Math.max, null, data)', true],
  ['Reflect.construct(Array, data)', true],
  ['function f(CONSTANT: number[]) { list.push(...CONSTANT) }', true],
  ['function f({ CONSTANT }: { CONSTANT: number[] }) { list.push(...CONSTANT) }', true],
  ['let changing = [1]; list.push(...changing)', true],
  ['list.push(...LONG)', true],
  ['const filled: number[] = []; for (const one of data) filled.push(one); list.push(...filled)', true],
  ['const filled = {}; list.push(...Object.keys(filled))', true],
  ['for (const CONSTANT of data) list.push(...CONSTANT)', true],
  ['function f() { let CONSTANT = data; list.push(...CONSTANT) }', true],
  ['list.push(...[1, 2])', false],
  ['list.push(...CONSTANT, ...CONSTANT.map((one) => one + 1))', false],
  ['list.push(...Object.keys(OBJECT))', false],
  ['list.push(...IMPORTED)', false],
  ['list.push(...(data.length > 1 ? [1] : CONSTANT))', false],
  ['function f(...given: number[]) { list.push(...given) }', false],
  ['function f(...given: number[]) { Math.max.apply(null, given) }', false],
  ['console.log([...data], new Set(data), { ...data }, Reflect.get(data, 0, data))', false],
])('a spread of unknown length is told from one that the source bounds: %s', (line, isFound) => {
  const constants = "import { MADE as IMPORTED } from './made.js'\nconst CONSTANT = [1, 2]\nconst OBJECT = { a: 1 }\n"
  const tree = syntaxOf('planted/here.ts', `${constants}const LONG = made()\n${line}\n`)
  const other = (path: string): ts.SourceFile | undefined =>
    path === 'planted/made.ts' ? syntaxOf(path, 'export const MADE = [1] as const') : undefined
  expect(unboundedSpreads({ path: 'planted/here.ts', tree, other }).length > 0).toBe(isFound)
})
