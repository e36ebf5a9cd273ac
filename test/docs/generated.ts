import { writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import { pageOf, root } from './pages.js'

/** `npm run docs` writes the tables that the code has; a test fails while a page has another one. */
const IS_UPDATE = process.env['UPDATE_DOCS'] === '1'

/** What stands between `<!-- NAME -->` and `<!-- /NAME -->` on a page. */
export function blockOf(
  text: string,
  name: string,
): { readonly before: string; readonly own: string; readonly after: string } {
  const [begin, end] = [`<!-- ${name} -->\n`, `\n<!-- /${name} -->`]
  const [from, to] = [text.indexOf(begin) + begin.length, text.indexOf(end)]
  if (from < begin.length || to < from) throw new Error(`the page has no block ${name}`)
  return { before: text.slice(0, from), own: text.slice(from, to), after: text.slice(to) }
}

/** Holds a block of a page to its text by the code. With `UPDATE_DOCS=1` it writes the text there. */
export function expectGenerated(path: string, name: string, text: string): void {
  const { before, own, after } = blockOf(pageOf(path), name)
  if (IS_UPDATE && own !== text) writeFileSync(root + path, before + text + after)
  else expect(own, 'npm run docs writes it').toBe(text)
}

/** The same for a table whose head is the page's own. */
export function expectGeneratedRows(path: string, name: string, rows: readonly string[]): void {
  const head = blockOf(pageOf(path), name).own.split('\n').slice(0, 2)
  expectGenerated(path, name, [...head, ...rows].join('\n'))
}

/** The figures in the sentences of a page: `<!-- = NAME -->TEXT<!-- / -->`. */
export const FIGURE_MARK: RegExp = /<!-- = (.+?) -->(.*?)<!-- \/ -->/g

/** The same for the figures in its sentences, by their names. */
export function expectFigures(path: string, figures: Readonly<Record<string, string>>): void {
  const text = pageOf(path)
  const written = text.replace(FIGURE_MARK, (mark, name: string) => {
    const figure = figures[name]
    if (!figure) throw new Error(`${path}: there is no figure ${name}: ${mark}`)
    return `<!-- = ${name} -->${figure}<!-- / -->`
  })
  if (IS_UPDATE && written !== text) writeFileSync(root + path, written)
  else expect(text, 'npm run docs writes it').toBe(written)
}
