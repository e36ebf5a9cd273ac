// The pages as the site is made from them: those of the repository, and the reference.

import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { PAGES, PICTURES } from './files.mjs'
import { root } from './package-root.mjs'
import { writeReference } from './reference.mjs'

const folder = fileURLToPath(new URL('pages/', import.meta.url))

export const copyPage = (file) => cpSync(root + file, folder + PAGES[file])

/** Writes all pages anew. */
export async function writePages() {
  if (existsSync(folder)) rmSync(folder, { recursive: true })
  mkdirSync(folder)
  for (const file of Object.keys(PAGES)) copyPage(file)
  cpSync(root + PICTURES, folder + PICTURES, { recursive: true })
  await writeReference(`${folder}reference`)
}
