import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { pages, root } from './pages.js'

/** A module of the site's, which need nothing that is installed there. */
const siteModule = async (name: string): Promise<unknown> => import(/* @vite-ignore */ `${root}docs-site/${name}`)

const { LISTED, PAGES, PICTURES, linkOf, pictureOf } = (await siteModule('files.mjs')) as {
  LISTED: { title: string; pages: { title: string; file: string }[] }[]
  PAGES: Readonly<Record<string, string>>
  PICTURES: string
  linkOf(file: string, href: string, repository?: string | { url: string }): string | undefined
  pictureOf(file: string, source: string): string
}
const { default: config } = (await siteModule('.vitepress/config.mjs')) as {
  default: { themeConfig: { sidebar: { text: string; items: { text: string; link: string }[] }[] } }
}
const { deadLinks } = (await siteModule('check-links.mjs')) as { deadLinks(folder: string): string[] }

describe('the order of the pages', () => {
  test('docs/README.md sorts them by what a reader wants', () => {
    expect(LISTED.map(({ title }) => title)).toEqual(['Start', 'Guides', 'Reference', 'Explanation'])
  })

  test('docs/README.md lists each page of docs/ once', () => {
    const listed = LISTED.flatMap(({ pages }) => pages.map(({ file }) => file)).filter((file) => /^docs\//.test(file))
    const written = pages.map(({ path }) => path).filter((path) => /^docs\/(?!README)/.test(path))
    expect(listed.toSorted()).toEqual(written.toSorted())
  })

  test('the sidebar has the sections and pages of docs/README.md, in its order, and the reference behind them', () => {
    const guide = LISTED.map(({ title, pages }) => ({
      text: title,
      links: pages.map(({ file }) => `/${PAGES[file]}`),
    }))
    const sidebar = config.themeConfig.sidebar.map(({ text, items }) => ({
      text,
      links: items.map(({ link }) => `${link}.md`),
    }))
    expect(sidebar.slice(0, -1)).toEqual(guide)
    expect(sidebar.at(-1)?.text).toBe('API')
  })
})

describe('a link on a page', () => {
  test('leads to the page of the file', () => {
    expect(linkOf('docs/serve.md', 'engines.md#seeds')).toBe('/engines.md#seeds')
    expect(linkOf('docs/serve.md', '../CONTRIBUTING.md')).toBe('/contributing.md')
    expect(linkOf('README.md', 'docs/serve.md')).toBe('/serve.md')
  })

  test('leads to the repository if the file is no page', () => {
    const url = 'git+https://host.example/us/it.git'
    expect(linkOf('docs/deploy.md', '../examples/a.json', { url })).toBe(
      'https://host.example/us/it/blob/HEAD/examples/a.json',
    )
  })

  test('is left out if the file is no page and no repository is known', () => {
    expect(linkOf('docs/deploy.md', '../examples/a.json', '')).toBeUndefined()
  })

  test('stays as it is if it leads elsewhere, or to the same page', () => {
    expect(linkOf('docs/serve.md', 'https://host.example/a#b')).toBe('https://host.example/a#b')
    expect(linkOf('docs/serve.md', '#seeds')).toBe('#seeds')
  })
})

describe('a picture on a page', () => {
  const shown = pages
    .filter(({ path }) => PAGES[path] !== undefined)
    .flatMap(({ path, text }) =>
      [...text.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map(([, source = '']) => pictureOf(path, source)),
    )
    .filter((source) => source.startsWith('./'))

  test('lies in the folder that the site copies', () => {
    expect(shown).not.toEqual([])
    for (const source of shown) expect([source, existsSync(join(root, source))]).toEqual([source, true])
    expect(shown.filter((source) => !source.startsWith(`./${PICTURES}/`))).toEqual([])
  })

  test('is found from a page below docs/, which has no folder on the site', () => {
    expect(pictureOf('docs/page.md', 'pictures/talk.png')).toBe('./docs/pictures/talk.png')
  })

  test('stays as it is if it lies elsewhere', () => {
    expect(pictureOf('README.md', 'https://host.example/a.png')).toBe('https://host.example/a.png')
  })
})

describe('the check of links', () => {
  const folder = mkdtempSync(join(tmpdir(), 'site-'))
  mkdirSync(join(folder, 'below'))
  writeFileSync(join(folder, 'index.html'), '<h1 id="top"></h1><a href="/below/page.html#here"></a><a href="#top"></a>')
  afterAll(() => rmSync(folder, { recursive: true }))
  const write = (html: string): void => writeFileSync(join(folder, 'below/page.html'), `<h2 id="here"></h2>${html}`)

  test('finds nothing where all links lead to a page and a heading', () => {
    write('<a href="../index.html#top"></a><a href="/"></a><a href="https://host.example/"></a>')
    expect(deadLinks(folder)).toEqual([])
  })

  test('finds a link to a page that is not there', () => {
    write('<a href="../other.html"></a>')
    expect(deadLinks(folder)).toEqual(['below/page.html links to ../other.html: there is no such page'])
  })

  test('finds a link to a heading that is not there', () => {
    write('<a href="/#bottom"></a>')
    expect(deadLinks(folder)).toEqual(['below/page.html links to /#bottom: there is no such heading'])
  })
})
