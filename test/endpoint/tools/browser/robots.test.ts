import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createBrowserTool } from '../../../../src/endpoint/tools/browser/index.js'
import { readRobots } from '../../../../src/endpoint/tools/browser/robots-rules.js'
import { runs } from '../../../support/runs.js'
import { converse, fetchOf, type Web } from './fixtures.js'

describe('a robots.txt', () => {
  // The examples of RFC 9309, and its rules for what they leave open.
  test.each<[string, string, Record<string, boolean>]>([
    ['nothing is allowed to all', '', { '/': true }],
    ['a path is a prefix', 'user-agent: *\ndisallow: /a', { '/a': false, '/ab?c': false, '/b': true, '/': true }],
    [
      'the longest match counts, and of two equal ones that which allows',
      'user-agent: *\nallow: /a/b\ndisallow: /a/\nallow: /c\ndisallow: /c\ndisallow: /a/b/c',
      { '/a/x': false, '/a/b': true, '/c': true, '/a/b/c': false },
    ],
    ['a star is any text', 'user-agent: *\ndisallow: /*.gif$', { '/x/a.gif': false, '/a.gif?x': true, '/a.png': true }],
    ['a dollar is the end', 'user-agent: *\ndisallow: /a$', { '/a': false, '/ab': true }],
    ['a star before the end', 'user-agent: *\ndisallow: /a*$', { '/abc': false, '/b': true }],
    [
      'its own group counts alone, whatever its case',
      'User-Agent: *\nDisallow: /\n\nuser-agent: Harmony-Responses/2\nDisallow: /private # ours',
      { '/': true, '/private/x': false },
    ],
    [
      'several robots share a group, and a robot may have several',
      'user-agent: other\nuser-agent: harmony-responses\ndisallow: /a\nuser-agent: x\ndisallow: /\n' +
        'user-agent: harmony-responses\ndisallow: /b',
      { '/a': false, '/b': false, '/c': true },
    ],
    ['another robot is another', 'user-agent: harmony\ndisallow: /', { '/a': true }],
    ['an empty rule is none', 'user-agent: *\ndisallow:', { '/a': true }],
    [
      'other lines are passed over',
      '\ufeffSitemap: x\ndisallow: /a\nnoise\n\r\nuser-agent: *\rdisallow: /b',
      { '/a': true, '/b': false },
    ],
    [
      'letters and their escapes are the same',
      'user-agent: *\ndisallow: /ä\ndisallow: /%c3%b6',
      { '/%C3%A4': false, '/%c3%b6': false },
    ],
  ])('%s', (_, text, expected) => {
    const mayLoad = readRobots(text, 'harmony-responses')
    expect(Object.fromEntries(Object.keys(expected).map((path) => [path, mayLoad(path)]))).toEqual(expected)
  })

  test('a pattern matches as a regular expression would', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', 'b', '*', '$', '/'), maxLength: 8 })
    fc.assert(
      fc.property(piece, fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 12 }), (pattern, path) => {
        const isWhole = pattern.endsWith('$')
        const body = (isWhole ? pattern.slice(0, -1) : pattern).replaceAll('$', '\\$').replaceAll('*', '.*')
        const isMatch = new RegExp(`^${body}${isWhole ? '$' : ''}`).test(path)
        const mayLoad = readRobots(`user-agent: *\ndisallow: ${pattern}`, 'me')
        expect(mayLoad(path)).toBe(pattern === '' || !isMatch)
      }),
      { numRuns: runs(500) },
    )
  })
})

describe('a browser that obeys robots.txt', () => {
  const PAGE = 'https://site.test/page'
  const ROBOTS = 'https://site.test/robots.txt'
  const answered =
    (body: string, status = 200) =>
    () =>
      new Response(body, { status })

  async function opened(web: Web, urls: readonly string[] = [PAGE]) {
    const asked: string[] = []
    const { call } = await converse({ backend: () => [], fetch: fetchOf(web, asked), robots: 'obey' })
    const shown: string[] = []
    for (const id of urls) shown.push(await call('open', { id }))
    return { asked, shown: shown.at(-1) }
  }

  test('opens what it allows, and reads it once for a site', async () => {
    const web = { [PAGE]: 'text', [ROBOTS]: answered('user-agent: *\ndisallow: /private'), 'https://site.test/b': 'b' }
    const { asked, shown } = await opened(web, [PAGE, 'https://site.test/b', 'https://site.test/private'])
    expect(asked).toEqual([ROBOTS, PAGE, 'https://site.test/b'])
    expect(shown).toBe('Error fetching URL `https://site.test/private`: the robots.txt of site.test does not allow it')
  })

  test('opens nothing that a redirection leads to and the other site does not allow', async () => {
    const location = 'https://other.test/secret'
    const web = {
      [PAGE]: () => new Response(null, { status: 302, headers: { location } }),
      [ROBOTS]: answered('', 404),
      'https://other.test/robots.txt': answered('user-agent: harmony-responses\ndisallow: /secret'),
    }
    const { asked, shown } = await opened(web)
    expect(asked).not.toContain(location)
    expect(shown).toContain('the robots.txt of other.test does not allow it')
  })

  test.each([
    ['is missing', answered('gone', 404), 'L2: text'],
    ['fails', answered('', 503), 'its robots.txt cannot be read: HTTP 503'],
    ['redirects without end', () => Response.redirect(ROBOTS), 'too many redirections'],
    [
      'is longer than what is read',
      answered(`user-agent: *\ndisallow: /\n${'#'.repeat(600_000)}`),
      'does not allow it',
    ],
  ])('decides where it %s', async (_, robots, expected) => {
    expect((await opened({ [PAGE]: 'text', [ROBOTS]: robots })).shown).toContain(expected)
  })

  test('tells it by the name of its own user agent', async () => {
    const web = { [PAGE]: 'text', [ROBOTS]: answered('user-agent: otterbot\ndisallow: /') }
    const options = { backend: () => [], fetch: fetchOf(web), robots: 'obey', userAgent: 'OtterBot/1.0' } as const
    expect(await (await converse(options)).call('open', { id: PAGE })).toContain('does not allow it')
  })

  test('does not read it unless it is to obey', async () => {
    const asked: string[] = []
    const { call } = await converse({ backend: () => [], fetch: fetchOf({ [PAGE]: 'text' }, asked) })
    await call('open', { id: PAGE })
    expect(asked).toEqual([PAGE])
    await expect(createBrowserTool({ backend: () => [], robots: true as never })).rejects.toMatchObject({
      code: 'bad_option',
    })
  })

  test.each([
    ['36,000 names', 'user-agent: *\n'.repeat(36_000)],
    ['46,000 patterns', `user-agent: *\n${'allow:*a*b\n'.repeat(46_000)}`],
    ['a long gap', `user-agent: *\nallow: ${' '.repeat(500_000)}x`],
    ['a pattern of 250,000 stars', `user-agent: *\nallow: /${'*a'.repeat(250_000)}$`],
  ])('reads in linear time, which a test would not outlast otherwise: %s', (_, text) => {
    expect(readRobots(text, 'me')(`/${'a'.repeat(2_000)}`)).toBe(true)
  })
})
