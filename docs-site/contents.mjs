// The order of the pages: docs/README.md has it, and the sidebar is read from there.

import { readFileSync } from 'node:fs'

/** The sections of docs/README.md: each has a title, and the pages it links to, by file and title, in the same order. */
export function readContents() {
  const sections = []
  for (const line of readFileSync(new URL('../docs/README.md', import.meta.url), 'utf8').split('\n')) {
    const [, title] = /^## (.+)$/.exec(line) ?? []
    if (title !== undefined) sections.push({ title, pages: [] })
    // A page of its own in the sentence about another one is listed, too.
    if (!line.startsWith('- ')) continue
    for (const [, text, file] of line.matchAll(/\[([^\]]+)\]\(([\w./-]+\.md)\)/g)) {
      sections.at(-1).pages.push({ title: text, file })
    }
  }
  return sections
}
