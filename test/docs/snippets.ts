import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import ts from 'typescript'
import { programOf, syntaxOf } from '../support/compiler.js'
import { type Block, root } from './pages.js'

/** A block of TypeScript, with what it takes for granted put in front of it. */
export interface Snippet {
  /** `docs/engines.md:42`. */
  readonly name: string
  readonly block: Block
  /** The module that is compiled and run. */
  readonly module: string
}

const manifest: { name: string; exports: Record<string, string | { default: string }> } = JSON.parse(
  readFileSync(`${root}package.json`, 'utf8'),
)

/** The source of each subpath: `harmony-responses/sse` is `src/core/sse/index.ts`. */
export const sources: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(manifest.exports).flatMap(([subpath, target]) => {
    const file = typeof target === 'string' ? undefined : /^\.\/dist\/(.+)\.js$/.exec(target.default)?.[1]
    return file === undefined ? [] : [[manifest.name + subpath.slice(1), `${root}src/${file}.ts`]]
  }),
)

/** As a snippet: the names that it uses, does not declare, and finds in the world come from there. */
export function snippetOf(block: Block, world: readonly string[]): Snippet {
  const source = syntaxOf('snippet.ts', block.code)
  const used = new Set<string>()
  const declared = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && isReference(node)) used.add(node.text)
    ts.forEachChild(node, visit)
  }
  visit(source)
  for (const statement of source.statements) {
    for (const name of namesOf(statement)) declared.add(name)
  }
  const given = world.filter((name) => used.has(name) && !declared.has(name))
  const first = given.length === 0 ? '' : `import { world } from '${WORLD}'; const { ${given.join(', ')} } = world();`
  // In the first line, so that lines stay what they are on the page. It is a module also where it imports nothing.
  return { name: `${block.page}:${block.line}`, block, module: `${first} export {};${block.code}` }
}

const WORLD = 'docs-world'

/** Whether an identifier stands for a value, not for a property. */
function isReference({ parent, text }: ts.Identifier): boolean {
  if (ts.isPropertyAccessExpression(parent)) return parent.name.text !== text || ts.isIdentifier(parent.expression)
  return !ts.isPropertyAssignment(parent) || parent.initializer.getText() === text
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isImportDeclaration(statement)) {
    const { namedBindings, name } = statement.importClause ?? {}
    const named = namedBindings && ts.isNamedImports(namedBindings) ? namedBindings.elements : []
    return [...named.map((each) => each.name.text), ...(name ? [name.text] : [])]
  }
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) => bound(name))
  }
  return ts.isFunctionDeclaration(statement) && statement.name ? [statement.name.text] : []
}

function bound(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text]
  return name.elements.flatMap((element) => (ts.isOmittedExpression(element) ? [] : bound(element.name)))
}

/**
 * The compiler's errors for each snippet, with the project's own settings.
 */
export function typeErrors(snippets: readonly Snippet[]): Map<Snippet, string[]> {
  const files = new Map(snippets.map((snippet, index) => [`${root}test/docs/snippet-${index}.ts`, snippet]))
  const settings = {
    // A snippet shows a value, and leaves it to the reader to use it.
    noUnusedLocals: false,
    noUnusedParameters: false,
    allowImportingTsExtensions: true,
    paths: {
      ...Object.fromEntries(Object.entries(sources).map(([name, file]) => [name, [file]])),
      [WORLD]: [worldFile],
    },
  }
  const texts = new Map([...files].map(([path, { module }]) => [path, module]))
  const program = programOf([...files.keys()], settings, texts)
  return new Map(
    [...files].map(([path, snippet]) => {
      const source = program.getSourceFile(path)
      const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
      return [snippet, found.map((each) => messageOf(each, snippet))]
    }),
  )
}

const worldFile = `${root}test/docs/world.ts`

function messageOf({ file, start, messageText }: ts.Diagnostic, { block }: Snippet): string {
  const line = file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line : 0
  return `${block.page}:${block.line + line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
}

/** Bundles modules against the sources of this repository, and gives the path of each as one that Node can import. */
export async function bundle(modules: Readonly<Record<string, string>>, folder: string): Promise<Map<string, string>> {
  mkdirSync(folder, { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  const names = Object.keys(modules)
  for (const [index, name] of names.entries()) writeFileSync(join(folder, `${index}.ts`), modules[name] ?? '')
  await build({
    entryPoints: names.map((_, index) => join(folder, `${index}.ts`)),
    outdir: join(folder, 'out'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'silent',
    alias: { ...sources, [WORLD]: worldFile },
    // As they are: other tests have loaded most of them.
    packages: 'external',
    tsconfigRaw: '{}',
    absWorkingDir: root,
  })
  return new Map(names.map((name, index) => [name, join(folder, 'out', `${index}.mjs`)]))
}
