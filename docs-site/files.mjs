// Which files of the repository are pages of the site, and where a link from one of them leads.

import { existsSync } from 'node:fs'
import { posix } from 'node:path'
import { readContents } from './contents.mjs'
import { manifest, root } from './package-root.mjs'

/** Pages outside of `docs/`, by their paths in the repository: the README is the first page. */
const OUTSIDE = {
  'README.md': 'index.md',
  'docs/README.md': 'contents.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
  'SECURITY.md': 'reporting.md',
  'bench/README.md': 'benchmarks.md',
  'fixtures/README.md': 'fixtures.md',
  'test/README.md': 'tests.md',
}

/** The folder of the pictures that pages show; the site has it at the same path. */
export const PICTURES = 'docs/pictures'

/** The pages that docs/README.md lists, by their files. */
export const LISTED = readContents().map(({ title, pages }) => ({
  title,
  pages: pages.map(({ title, file }) => ({ title, file: posix.join('docs', file) })),
}))

const files = [...LISTED.flatMap(({ pages }) => pages.map(({ file }) => file)), ...Object.keys(OUTSIDE)]

/** The page of each file: `docs/serve.md` is `serve.md`. */
export const PAGES = Object.fromEntries(
  files.filter((file) => existsSync(root + file)).map((file) => [file, OUTSIDE[file] ?? posix.basename(file)]),
)

/** The file of a page; undefined for those of the reference. */
export const fileOf = (page) => Object.keys(PAGES).find((file) => PAGES[file] === page)

/**
 * Where a link from a file leads on the site. The repository's host shows the files that are no pages; undefined if
 * package.json names no repository: then the link is left out, and its text stays.
 */
export function linkOf(file, href, repository = manifest.repository) {
  if (/^([a-z]+:|#)/.test(href)) return href
  const [path, anchor] = href.split('#')
  const target = posix.join(posix.dirname(file), path)
  const end = anchor === undefined ? '' : `#${anchor}`
  if (PAGES[target] !== undefined) return `/${PAGES[target]}${end}`
  if (!repository) return undefined
  const host = (repository.url ?? repository).replace(/^git\+/, '').replace(/\.git$/, '')
  return `${host}/blob/HEAD/${target}${end}`
}

/** Where a picture that a file shows lies, seen from its page. */
export const pictureOf = (file, source) =>
  /^[a-z]+:/.test(source) ? source : `./${posix.join(posix.dirname(file), source)}`
