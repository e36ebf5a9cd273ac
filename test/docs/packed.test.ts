import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { linksOf, pageOf, root } from './pages.js'

/** The files of the tarball, but for those of the build. */
let packed: readonly string[] = []

beforeAll(() => {
  const folder = hollowCopy()
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const [tarball] = JSON.parse(
    execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  )
  packed = tarball.files.map(({ path }: { path: string }) => path)
  rmSync(folder, { recursive: true })
})

/** The files of the checkout without their content: npm would compress it to say how large the tarball is. */
function hollowCopy(): string {
  const folder = mkdtempSync(join(tmpdir(), 'packed-'))
  const copy = (path: string): void => {
    for (const entry of readdirSync(join(root, path), { withFileTypes: true })) {
      const name = join(path, entry.name)
      if (/^(?:node_modules|dist|\..*)$/.test(entry.name)) continue
      if (entry.isDirectory()) {
        mkdirSync(join(folder, name))
        copy(name)
      } else writeFileSync(join(folder, name), '')
    }
  }
  copy('.')
  copyFileSync(join(root, 'package.json'), join(folder, 'package.json'))
  return folder
}

const isPacked = (path: string): boolean => packed.some((file) => file === path || file.startsWith(`${path}/`))

describe('the package', () => {
  test('the package has every page and file to which its own pages link', () => {
    const texts = packed.filter((path) => path.endsWith('.md'))
    const links = texts.flatMap((page) => linksOf(page, pageOf(page)).map(({ file }) => ({ page, file })))
    expect(links.length).toBeGreaterThan(400)
    expect(links.filter(({ file }) => !isPacked(file))).toEqual([])
  })

  test.each(['README.md', 'CHANGELOG.md', 'SECURITY.md', 'LICENSE'])('the package has %s', (path) => {
    expect(packed).toContain(path)
  })
})
