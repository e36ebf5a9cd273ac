import { execFileSync } from 'node:child_process'
import { beforeAll, describe, expect, test } from 'vitest'
import { linksOf, pageOf, root } from './pages.js'

/** The files of the tarball, but for those of the build. */
let packed: readonly string[] = []

beforeAll(() => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const [tarball] = JSON.parse(
    execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  )
  packed = tarball.files.map(({ path }: { path: string }) => path)
})

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
