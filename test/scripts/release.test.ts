import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { pageOf, root } from '../docs/pages.js'
import { type BareCheckout, createBareCheckout } from './bare-checkout.js'

const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
let checkout: BareCheckout

beforeEach(async () => {
  checkout = await createBareCheckout()
  await checkout.write('CHANGELOG.md', pageOf('CHANGELOG.md'))
  await checkout.write('.changeset/README.md', '')
})
afterEach(() => checkout.remove())

describe('scripts/release.mjs', () => {
  test('a release packs, checks the package, prints the notes of its version alone, and publishes nothing', async () => {
    await checkout.write('CHANGELOG.md', `# Changelog\n\n## ${version}\n\n- New.\n\n## 0.0.1\n\n- Old.\n`)
    const { code, out, err, asked } = await checkout.run('release.mjs')
    expect({ code, out }).toEqual({ code: 0, out: '- New.\n' })
    expect(asked).toEqual(['pack --silent', 'run --silent check:package'])
    expect(err).toContain('nothing is published')
  })

  test('CHANGELOG.md has the notes of the version of package.json', async () => {
    expect((await checkout.run('release.mjs')).out).toMatch(/^\w.*\n\n/)
  })

  test('a version that the changelog does not have is one line, and 1, before anything is packed', async () => {
    await checkout.write('CHANGELOG.md', '# Changelog\n')
    const { code, err, asked } = await checkout.run('release.mjs')
    expect({ code, err }).toEqual({ code: 1, err: `release: CHANGELOG.md has no section ${version}\n` })
    expect(asked).toEqual([])
  })

  test('a change that belongs to no version yet is named', async () => {
    await checkout.write('.changeset/brave-otters.md', '')
    const { code, err } = await checkout.run('release.mjs')
    expect({ code, err }).toEqual({
      code: 1,
      err: 'release: brave-otters.md in .changeset belong to no version yet: npm run changeset version\n',
    })
  })

  test('a package that cannot be packed has no notes', async () => {
    const { code, out } = await checkout.run('release.mjs', [], { NPM_FAILS: '1' })
    expect({ code, out }).toEqual({ code: 1, out: '' })
  })
})
