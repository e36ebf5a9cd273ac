// The page that needs no server, into page/: `npm run page`. docs/page.md says what it is.

import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildStaticPage } from './build-page.mjs'

const folder = fileURLToPath(new URL('../page', import.meta.url))
await buildStaticPage(folder)
const names = await readdir(folder, { recursive: true })
const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size))
const size = sizes.reduce((sum, each) => sum + each) / 1e6
console.log(`page/ has the page, ${size.toFixed(1)} MB: serve the folder by any web server, at any path`)
