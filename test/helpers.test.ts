import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const page = readFileSync(new URL('README.md', import.meta.url), 'utf8')

/** The helpers of `npm test`, by their paths from here. */
function helpersIn(folder: string): string[] {
  const entries = readdirSync(new URL(folder, import.meta.url), { withFileTypes: true })
  return entries.flatMap((entry) => {
    const path = `${folder}${entry.name}`
    if (!entry.isDirectory()) return /(?<!\.test(-d)?)\.ts$/.test(path) ? [path.slice(2)] : []
    return ['./clients', './engine', './journeys', './programs', './servers'].includes(path)
      ? []
      : helpersIn(`${path}/`)
  })
}

test('test/README.md names every helper of these tests', () => {
  const helpers = helpersIn('./')
  expect(helpers).toContain('support/tokens.ts')
  expect(helpers.filter((path) => !page.includes(`\`${path}\``))).toEqual([])
})

test('test/README.md names no file that is not there', () => {
  const named = [...page.matchAll(/`([a-z-]+\/[\w/-]+(?:\.test)?\.ts)`/g)].map(([, path]) => path as string)
  expect(named.filter((path) => !existsSync(new URL(path, import.meta.url)))).toEqual([])
})
