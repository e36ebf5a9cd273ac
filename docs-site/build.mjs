// Builds the site in dist/. It fails at a dead link.

import { fileURLToPath } from 'node:url'
import { build } from 'vitepress'
import { deadLinks } from './check-links.mjs'
import { writePages } from './pages.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))

await writePages()
await build(here)
const dead = deadLinks(`${here}dist`)
for (const line of dead) console.error(line)
if (dead.length > 0) {
  console.error(`${dead.length} dead links`)
  process.exitCode = 1
}
