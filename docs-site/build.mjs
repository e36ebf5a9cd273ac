// Builds the site in dist/. It fails at a dead link.

import { fileURLToPath } from 'node:url'
import { build } from 'vitepress'
import { deadLinks } from './check-links.mjs'
import { writePages } from './pages.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))

try {
  await writePages()
  await build(here)
  const dead = deadLinks(`${here}dist`)
  if (dead.length > 0) throw new Error([...dead, `${dead.length} dead links`].join('\n'))
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
