import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DIAGNOSTICS } from '../../src/core/diagnostics/index.js'
import { expectGenerated } from './generated.js'
import { blocks, linksOf, pageOf, pages, root } from './pages.js'

const manifest: { name: string; version: string; exports: object; scripts: object } = JSON.parse(
  readFileSync(`${root}package.json`, 'utf8'),
)

describe('the first pages', () => {
  test.each(['README.md', 'CHANGELOG.md'])('%s has at most 120 lines', (path) => {
    expect(pageOf(path).trimEnd().split('\n').length).toBeLessThanOrEqual(120)
  })
})

describe('the pages', () => {
  test('docs/README.md lists every other page', () => {
    for (const { path } of pages.filter(({ path }) => path.startsWith('docs/') && !path.endsWith('README.md'))) {
      expect(pageOf('docs/README.md')).toContain(`](${posix.basename(path)})`)
    }
  })

  test('docs/translator.md and docs/engines.md list every subpath, and no other', () => {
    const tables = pageOf('docs/translator.md') + pageOf('docs/engines.md')
    const listed = new Set(Array.from(tables.matchAll(/^\| `harmony-responses(\/?[\w/-]*)` \|/gm), ([, path]) => path))
    const exported = Object.keys(manifest.exports).filter((subpath) => subpath !== './package.json')
    expect(Array.from(listed, (path) => `.${path}`).sort()).toEqual(exported.sort())
  })

  const SHOWN = [
    'nginx.conf',
    'harmony-responses.service',
    'serve.json',
    'Dockerfile',
    'compose.yaml',
    'compose.postgres.yaml',
    'nginx.replicas.conf',
    'prometheus.yml',
  ]
  test.each(SHOWN)('docs/deploy.md shows examples/deploy/%s', (name) => {
    const file = readFileSync(`${root}examples/deploy/${name}`, 'utf8')
    expect(pageOf('docs/deploy.md')).toContain(`\n${file}\`\`\`\n`)
  })

  test('docs/malformed-harmony.md lists every diagnostic with its sentence', () => {
    const rows = Object.entries(DIAGNOSTICS).map(
      ([code, sentence]) => `| \`${code}\` | ${sentence.replaceAll('|', '\\|')} |`,
    )
    const table = ['| code | means |', '|---|---|', ...rows].join('\n')
    expectGenerated('docs/malformed-harmony.md', 'diagnostics', table)
  })

  test.each(pages)('$path names scripts that exist', ({ text }) => {
    for (const [, script] of text.matchAll(/npm run ([\w:]+)(?![\w:]| --prefix)/g)) {
      expect(Object.keys(manifest.scripts)).toContain(script)
    }
  })

  test.each(pages)('$path links to files and headings that exist', ({ path, text }) => {
    for (const { target, file, anchor } of linksOf(path, text)) {
      expect(existsSync(root + file), `${path} links to ${target}`).toBe(true)
      if (anchor !== undefined) expect(headingsOf(pageOf(file)), target).toContain(anchor)
    }
  })

  test.each(pages)('$path names files that exist, or that it tells how to write', ({ path, text }) => {
    for (const [, file = ''] of text.matchAll(/`((?:test|src|examples|fixtures|bench|docs)\/[\w./-]+)`/g)) {
      if (path === 'CONTRIBUTING.md' && /image-generation|NAME/.test(file)) continue
      const isThere = [root, posix.join(root, posix.dirname(path))].some((folder) =>
        existsSync(posix.join(folder, file)),
      )
      expect(isThere, file).toBe(true)
    }
  })

  test('no page asks a registry for this package', () => {
    for (const { page, line, code } of blocks) {
      const asks = new RegExp(`npm (?:install|i|add) (?:-\\S+ )*${manifest.name}(?:\\s|$)|npx --yes ${manifest.name}`)
      expect(asks.test(code), `${page}:${line}`).toBe(false)
    }
  })
})

/** The anchors of a page's headings, as GitHub makes them. */
function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test('pages name the tarball, and the version in the README, by the version of package.json', () => {
  const named = pages.flatMap(({ path }) =>
    Array.from(pageOf(path).matchAll(/harmony-responses-(\d[\w.-]*?)\.tgz/g), ([, is]) => is),
  )
  const [, stated] = /^- Version (\S+)\. /m.exec(pageOf('README.md')) ?? []
  expect(named.length).toBeGreaterThan(5)
  expect([...new Set([...named, stated])]).toEqual([manifest.version])
})
