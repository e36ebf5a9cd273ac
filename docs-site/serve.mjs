// Serves the site on this machine alone: npm run docs, or npm run docs -- --port 9000. A page that is saved is shown anew.

import { watch } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createServer } from 'vitepress'
import { PAGES } from './files.mjs'
import { root } from './package-root.mjs'
import { copyPage, writePages } from './pages.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))

try {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '5173' } } })
  if (!/^\d+$/.test(values.port)) throw new Error(`--port: expected a number, got ${values.port}`)
  await writePages()
  const site = await createServer(here, { host: '127.0.0.1', port: Number(values.port), strictPort: true })
  await site.listen()
  site.printUrls()
} catch (error) {
  console.error(error.message)
  process.exit(2)
}
for (const file of Object.keys(PAGES)) watch(root + file, () => copyPage(file))
