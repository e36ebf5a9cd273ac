import { fileOf, LISTED, linkOf, PAGES, pictureOf } from '../files.mjs'
import { manifest, subpaths } from '../package-root.mjs'

const linkTo = (file) => `/${PAGES[file].replace(/\.md$/, '')}`

const guide = LISTED.map(({ title, pages }) => ({
  text: title,
  collapsed: false,
  items: pages.map(({ title, file }) => ({ text: title, link: linkTo(file) })),
}))

const api = {
  text: 'API',
  collapsed: true,
  items: subpaths.map(({ specifier }) => ({ text: specifier, link: `/reference/${specifier}` })),
}

/** The anchor of a heading as the repository's host makes it, so that a link with one works in both places. */
export const slugify = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

/** Links of the pages lead to files of the repository, and so do the sources of pictures. */
function mapLinks(md) {
  md.core.ruler.push('links to files', ({ tokens, env }) => {
    const file = fileOf(env.relativePath)
    if (file === undefined) return
    for (const { children } of tokens) {
      let isLeftOut = false
      for (const token of children ?? []) {
        if (token.type === 'image') token.attrSet('src', pictureOf(file, token.attrGet('src')))
        if (token.type === 'link_open') {
          const link = linkOf(file, token.attrGet('href'))
          isLeftOut = link === undefined
          if (!isLeftOut) token.attrSet('href', link)
        }
        if (isLeftOut && token.type.startsWith('link_')) Object.assign(token, { type: 'text', tag: '', content: '' })
      }
    }
  })
}

export default {
  title: manifest.name,
  description: manifest.description,
  lang: 'en',
  // No icon: browsers would ask for one.
  head: [
    ['link', { rel: 'icon', href: 'data:,' }],
    // Commands and names stay on one line; a wide table scrolls.
    ['style', {}, '.vp-doc td:first-child code { white-space: nowrap }'],
  ],
  srcDir: 'pages',
  outDir: 'dist',
  cacheDir: 'node_modules/.cache/vitepress',
  cleanUrls: false,
  metaChunk: true,
  markdown: { anchor: { slugify }, config: mapLinks },
  vite: { build: { chunkSizeWarningLimit: 10_000 } },
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Contents', link: linkTo('docs/README.md') },
      { text: 'API', link: '/reference/' },
      { text: 'Changes', link: linkTo('CHANGELOG.md') },
    ],
    sidebar: [...guide, api],
  },
}
