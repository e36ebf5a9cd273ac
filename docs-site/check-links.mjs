// Whether every link of the built site leads to a page, and to a heading that is there.

import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

/** A sentence for each dead link below a folder of HTML. */
export function deadLinks(folder) {
  const files = readdirSync(folder, { recursive: true }).map((name) => name.replaceAll('\\', '/'))
  const texts = new Map(
    files.filter((name) => name.endsWith('.html')).map((name) => [name, readFileSync(`${folder}/${name}`, 'utf8')]),
  )
  const anchors = new Map(Array.from(texts, ([name, text]) => [name, new Set(valuesOf(text, 'id'))]))
  return Array.from(texts).flatMap(([name, text]) =>
    valuesOf(text, 'href')
      .filter((href) => !/^[a-z]+:/.test(href))
      .flatMap((href) => {
        const [path, anchor] = href.split('#')
        const target = path === '' ? name : posix.join(path.startsWith('/') ? '' : posix.dirname(name), path)
        const page = pageOf(target.replace(/^\//, ''))
        if (!files.includes(page)) return [`${name} links to ${href}: there is no such page`]
        const isThere = anchor === undefined || anchor === '' || anchors.get(page)?.has(decodeURIComponent(anchor))
        return isThere ? [] : [`${name} links to ${href}: there is no such heading`]
      }),
  )
}

const pageOf = (path) => (path === '' || path.endsWith('/') ? `${path}index.html` : path)

const valuesOf = (html, name) =>
  Array.from(html.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g')), ([, value]) => value.replaceAll('&amp;', '&'))
