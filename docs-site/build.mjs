// Builds the site: the pages of docs/, and the reference from the docstrings. It fails at a dead link.

import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'vitepress'
import { deadLinks } from './check-links.mjs'
import { PAGES } from './files.mjs'
import { root } from './package-root.mjs'
import { writeReference } from './reference.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))

rmSync(`${here}pages`, { recursive: true, force: true })
mkdirSync(`${here}pages`)
for (const [file, page] of Object.entries(PAGES)) cpSync(root + file, `${here}pages/${page}`)
await writeReference(`${here}pages/reference`)
await build(here)

const dead = deadLinks(`${here}dist`)
for (const line of dead) console.error(line)
if (dead.length > 0) {
  console.error(`${dead.length} dead links`)
  process.exitCode = 1
}
