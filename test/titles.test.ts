import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { syntaxOf } from './support/compiler.js'

/** The beginnings of titles without a subject. */
const NO_SUBJECT =
  /^(is|are|was|were|has|have|does|can|may|must|will|never|gives|goes|keeps|takes|leaves|says|refuses|reads|sends|gets|becomes|begins|lets|allows|belongs|enters|happens|asks|emits|opens|closes|runs|fails|works|writes|yields|throws|returns) /

const FOLDER = fileURLToPath(new URL('./', import.meta.url))
const files = (readdirSync(FOLDER, { recursive: true }) as string[]).filter(
  (path) => path.endsWith('.ts') && !path.includes('node_modules'),
)

/** The titles of the tests of a file, with what stands in their places. */
function titlesIn(path: string): string[] {
  const source = syntaxOf(path, readFileSync(FOLDER + path, 'utf8'))
  const titles: string[] = []
  const visit = (node: ts.Node): void => {
    const [title, ...rest] = ts.isCallExpression(node) ? node.arguments : []
    const isTitle =
      title !== undefined && rest.length > 0 && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title))
    if (isTitle && nameOf((node as ts.CallExpression).expression) === 'test') titles.push(title.getText().slice(1, -1))
    ts.forEachChild(node, visit)
  }
  visit(source)
  return titles
}

/** `test` of `test`, `test.each(rows)` and `test.skipIf(reason).each(rows)`. */
function nameOf(called: ts.Expression): string {
  if (ts.isCallExpression(called) || ts.isPropertyAccessExpression(called)) return nameOf(called.expression)
  return called.getText()
}

test('no title of a test leaves its subject to its describe', () => {
  const titles = files.flatMap((path) => titlesIn(path).map((title) => ({ path, title })))
  expect(titles.length).toBeGreaterThan(2_000)
  expect(titles.filter(({ title }) => NO_SUBJECT.test(title))).toEqual([])
})
