import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Parser } from 'commonmark'

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
  /** The comment before it, without blanks: `prompt`, by which a test takes it, or `not run: it needs a GPU`. */
  readonly mark: string | undefined
  /** The page between the previous block and this one, without comments. */
  readonly said: string
}

/** All pages that are written by hand. */
export const pages: readonly Page[] = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...['bench/README.md', 'fixtures/README.md', 'test/README.md'],
  ...readdirSync(`${root}docs`)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
].map((path) => ({ path, text: readFileSync(root + path, 'utf8') }))

/** The text of a page as it is now. */
export function pageOf(path: string): string {
  return readFileSync(root + path, 'utf8')
}

/** Where a link of a page leads within the repository: a file or a folder, and a heading of it. */
export interface Link {
  /** As the page has it: `../README.md#start`. */
  readonly target: string
  /** From the root: `README.md`. */
  readonly file: string
  readonly anchor: string | undefined
}

/** All links of a page that do not lead to another site. */
export function linksOf(path: string, text: string): Link[] {
  return Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target)
    .filter((target) => !/^https?:/.test(target))
    .map((target) => {
      const [file = '', anchor] = target.split('#')
      return { target, file: file === '' ? path : posix.join(posix.dirname(path), file), anchor }
    })
}

/** All blocks of code of all pages, in order. */
export const blocks: readonly Block[] = pages.flatMap(blocksOf)

/** The blocks of code of a page, in order. */
export function blocksOf({ path, text }: Page): Block[] {
  const lines = text.split('\n')
  const found: Block[] = []
  const walker = new Parser().parse(text).walker()
  let told = 0
  for (let event = walker.next(); event !== null; event = walker.next()) {
    const { node } = event
    if (node.type !== 'code_block') continue
    const [[first], [last]] = node.sourcepos
    const [, mark] = /^<!-- (.*) -->$/.exec(lines[first - 2] ?? '') ?? []
    const said = lines.slice(told, first - 1).filter((line) => !/^<!--.*-->$/.test(line))
    found.push({
      page: path,
      // A block without a fence begins with its code.
      line: node.info === null ? first : first + 1,
      language: node.info ?? 'indented',
      code: node.literal ?? '',
      mark,
      said: said.join('\n').trim(),
    })
    told = last
  }
  return found
}

/** The block of a page below the comment `<!-- NAME -->`. Its test is the one that takes it from here by its name. */
export function namedBlock(page: string, name: string): Block {
  const found = blocks.filter((block) => block.page === page && block.mark === name)
  const [block] = found
  if (block === undefined || found.length > 1) throw new Error(`${page} has ${found.length} blocks named ${name}`)
  return block
}
