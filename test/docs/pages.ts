import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root: string = fileURLToPath(new URL('../..', import.meta.url))

/** A page for readers of the repository. */
export interface Page {
  /** Its path from the root: `docs/engines.md`. */
  readonly path: string
  readonly text: string
}

/** A block of code on a page. */
export interface Block {
  readonly page: string
  /** The line on which its code begins, from 1. */
  readonly line: number
  readonly language: string
  readonly code: string
}

/** README.md and the pages of docs/. */
export const pages: readonly Page[] = [
  'README.md',
  ...readdirSync(`${root}docs`)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
].map((path) => ({ path, text: readFileSync(root + path, 'utf8') }))

/** The text of a page as it is now. */
export function pageOf(path: string): string {
  return readFileSync(root + path, 'utf8')
}

/** All blocks of code of all pages, in order. */
export const blocks: readonly Block[] = pages.flatMap(({ path, text }) =>
  [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(({ 1: language = '', 2: code = '', index }) => ({
    page: path,
    line: text.slice(0, index).split('\n').length + 1,
    language,
    code,
  })),
)
