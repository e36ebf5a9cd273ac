// Which files of the repository are pages of the site, and where a link from one of them leads.

import { posix } from 'node:path'
import { readContents } from './contents.mjs'
import { manifest } from './package-root.mjs'

/** Pages outside of `docs/`, by their paths in the repository: the README is the first page. */
const OUTSIDE = {
  'README.md': 'index.md',
  'docs/README.md': 'contents.md',
  'CONTRIBUTING.md': 'contributing.md',
  'CHANGELOG.md': 'changelog.md',
  'bench/README.md': 'benchmarks.md',
  'test/README.md': 'tests.md',
}

const listed = readContents().flatMap(({ pages }) => pages.map(({ file }) => posix.join('docs', file)))
const inside = listed.filter((path) => path.startsWith('docs/')).map((path) => [path, posix.basename(path)])

/** The page of each file: `docs/serve.md` is `serve.md`. */
export const PAGES = { ...Object.fromEntries(inside), ...OUTSIDE }

/** The file of a page. */
export const fileOf = (page) => Object.keys(PAGES).find((file) => PAGES[file] === page)

/**
 * Where a link from a file leads on the site. Files that are no pages are shown by the repository's host; undefined if
 * package.json names no repository: then the link is left out, and its text stays.
 */
export function linkOf(file, href, repository = manifest.repository) {
  if (/^(https?:|mailto:|#)/.test(href)) return href
  const [path, anchor] = href.split('#')
  const target = posix.join(posix.dirname(file), path)
  const end = anchor === undefined ? '' : `#${anchor}`
  if (PAGES[target] !== undefined) return `/${PAGES[target]}${end}`
  const host = (repository?.url ?? repository)?.replace(/^git\+/, '').replace(/\.git$/, '')
  return host === undefined ? undefined : `${host}/blob/HEAD/${target}${end}`
}
