import { describe, expect, test } from 'vitest'
import { createPages, pageAt, pageIn, showPage } from '../../../src/core/citations/pages.js'

const BODY = '**viewing lines [0 - 9] of 20**\n\nL0: first\nL1: second'

describe('the page that a browser’s answer shows', () => {
  test.each([
    [
      'a plain heading',
      '[3] Title (https://example.com/x)',
      { cursor: 3, title: 'Title', url: 'https://example.com/x' },
    ],
    ['the first cursor', '[0] T (https://example.com)', { cursor: 0, title: 'T', url: 'https://example.com' }],
    ['a long cursor', '[1234] T (https://example.com)', { cursor: 1234, title: 'T', url: 'https://example.com' }],
    ['an empty title', '[3]  (https://example.com/x)', { cursor: 3, title: '', url: 'https://example.com/x' }],
    [
      'brackets in the title',
      '[3] [a] [4] b (https://e.com/x)',
      { cursor: 3, title: '[a] [4] b', url: 'https://e.com/x' },
    ],
    [
      'parentheses in the title',
      '[3] f(x) (a) (https://e.com/x)',
      { cursor: 3, title: 'f(x) (a)', url: 'https://e.com/x' },
    ],
    [
      'a colon in a title’s parentheses',
      '[3] A (b: c) (https://e.com)',
      { cursor: 3, title: 'A (b: c)', url: 'https://e.com' },
    ],
    [
      'parentheses in the url',
      '[3] Foo (bar) (https://en.wikipedia.org/wiki/Foo_(bar))',
      { cursor: 3, title: 'Foo (bar)', url: 'https://en.wikipedia.org/wiki/Foo_(bar)' },
    ],
    ['spaces in the url', '[3] T (https://e.com/a b (c))', { cursor: 3, title: 'T', url: 'https://e.com/a b (c)' }],
    ['brackets in the url', '[3] T (https://e.com/?a[0]=1)', { cursor: 3, title: 'T', url: 'https://e.com/?a[0]=1' }],
    [
      'an address in the url',
      '[3] T (https://e.com/http://b.org/)',
      { cursor: 3, title: 'T', url: 'https://e.com/http://b.org/' },
    ],
    [
      'an address in the title',
      '[3] https://b.org/ (https://e.com)',
      { cursor: 3, title: 'https://b.org/', url: 'https://e.com' },
    ],
    [
      'characters of any script',
      '[3] 見出し 🫠 (https://例え.jp/🫠)',
      { cursor: 3, title: '見出し 🫠', url: 'https://例え.jp/🫠' },
    ],
    [
      'the source of a page',
      '[3] T (view-source:https://e.com)',
      { cursor: 3, title: 'T', url: 'view-source:https://e.com' },
    ],
    [
      'another scheme',
      '[3] T (web-archive://x) (ftp://e.com/x)',
      { cursor: 3, title: 'T (web-archive://x)', url: 'ftp://e.com/x' },
    ],
  ])('a browser’s answer shows the page of its heading: %s', (_, heading, page) => {
    expect(pageIn(`${heading}\n${BODY}`)).toEqual(page)
  })

  test('a browser’s answer shows its page if the heading is all there is', () => {
    expect(pageIn('[3] T (https://e.com)')).toEqual({ cursor: 3, title: 'T', url: 'https://e.com' })
  })

  test('a browser’s answer shows its page if lines end with CR LF', () => {
    expect(pageIn(`[3] T (https://e.com)\r\n${BODY.replaceAll('\n', '\r\n')}`)).toEqual({
      cursor: 3,
      title: 'T',
      url: 'https://e.com',
    })
  })

  test('a title that holds an address in parentheses keeps it', () => {
    expect(pageIn('[3] Foo (https://foo.dev) on GitHub (https://github.com/foo)')).toEqual({
      cursor: 3,
      title: 'Foo (https://foo.dev) on GitHub',
      url: 'https://github.com/foo',
    })
  })
})

describe('no page is shown', () => {
  test.each([
    ['nothing', ''],
    ['an empty line', '\n[3] T (https://e.com)'],
    ['a page of search results, which has no url', `[0] some query\n${BODY}`],
    ['a page of search results whose query ends in parentheses', '[0] call f (x)\n**v**'],
    ['a heading on the second line', `Error\n[3] T (https://e.com)\n${BODY}`],
    ['a heading after a space', ' [3] T (https://e.com)'],
    ['a heading after a word', 'See [3] T (https://e.com)'],
    ['no cursor', 'T (https://e.com)'],
    ['a cursor that is no number', '[a] T (https://e.com)'],
    ['a negative cursor', '[-1] T (https://e.com)'],
    ['an empty cursor', '[] T (https://e.com)'],
    ['a url without a scheme', '[3] T (e.com/x)'],
    ['an empty url', '[3] T ()'],
    ['a scheme alone', '[3] T (https://)'],
    ['something after the url', '[3] T (https://e.com) and more'],
    ['a url that does not end on the line', '[3] T (https://e.com\n/x)'],
    ['no space before the url', '[3] T(https://e.com)'],
    ['no space after the cursor', '[3]T (https://e.com)'],
    ['an error', 'Error fetching URL `https://e.com`: timed out'],
    ['JSON', '{"error": "Invalid function arguments"}'],
  ])('a browser’s answer shows no page: %s', (_, output) => {
    expect(pageIn(output)).toBeUndefined()
  })

  test('a browser’s answer shows no page by text after a carriage return of the first line', () => {
    expect(pageIn('Error\r[3] T (https://e.com)')).toBeUndefined()
  })
})

describe('a first line that is very long', () => {
  test('a first line that is very long is read whole', () => {
    const title = 'a (b) '.repeat(300)
    expect(pageIn(`[3] ${title} (https://e.com)\n${BODY}`)).toEqual({ cursor: 3, title, url: 'https://e.com' })
  })

  test('a first line that is very long shows its page whole or none', () => {
    for (const length of [5000, 5001]) {
      const url = `https://e.com/${')'.repeat(length)}`
      const page = pageIn(`[3] T (${url})\n${BODY}`)
      if (page !== undefined) expect(page.url).toBe(url)
    }
  })
})

test('a page under a cursor replaces the earlier page under it', () => {
  const pages = createPages()
  const page = (cursor: number, url: string): Parameters<typeof showPage>[1] => ({ cursor, url })
  showPage(pages, page(0, 'https://a.com'))
  showPage(pages, page(1, 'https://b.com'))
  showPage(pages, page(0, 'https://c.com'))
  expect(pages).toMatchObject({
    byCursor: { 0: page(0, 'https://c.com'), 1: page(1, 'https://b.com') },
    current: 'https://c.com',
  })
})

test('a page is known by its address, as it was shown last', () => {
  const pages = createPages()
  for (const title of ['old', 'new']) showPage(pages, { cursor: 0, url: 'https://a.com', title })
  showPage(pages, { cursor: 1, url: '__proto__', title: 'odd' })
  expect(pageAt('https://a.com', pages)).toMatchObject({ title: 'new' })
  expect(pageAt('__proto__', pages)).toMatchObject({ title: 'odd' })
  for (const url of ['https://b.com', 'constructor', 'url', '']) expect(pageAt(url, pages)).toBeUndefined()
})
