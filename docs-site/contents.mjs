// The order of the pages: docs/README.md has it, and the sidebar is read from there.

import { readFileSync } from 'node:fs'

/** The sections of docs/README.md: each has a title, and the pages that its lists link to, by title and file, in order. */
export function readContents() {
  const [, ...sections] = readFileSync(new URL('../docs/README.md', import.meta.url), 'utf8').split(/^## /m)
  return sections.map((section) => {
    const [title] = section.split('\n', 1)
    const items = section.match(/^- .*(?:\n {2}.*)*/gm) ?? []
    const links = items.flatMap((item) => [...item.matchAll(/\[([^\]]+)\]\(([\w./-]+\.md)\)/g)])
    return { title, pages: links.map(([, text, file]) => ({ title: text.replace(/\s+/g, ' '), file })) }
  })
}
