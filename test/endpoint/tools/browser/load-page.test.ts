import { describe, expect, test } from 'vitest'
import type { BrowserToolOptions } from '../../../../src/endpoint/tools/browser/index.js'
import { converse, fetchOf, type Web } from './fixtures.js'

const HERE = 'https://site.test/page'

async function open(page: Web[string], given: Partial<BrowserToolOptions> = {}, url: unknown = HERE): Promise<string> {
  const { call } = await converse({ backend: () => [], fetch: fetchOf({ [HERE]: page }), ...given })
  return call('open', { id: url })
}

/** The lines of the page after its address. */
async function textOf(html: string): Promise<string> {
  const shown = await open(html, { maxViewLength: 100_000 })
  return shown
    .split('\n')
    .slice(5)
    .map((line) => line.replace(/^L\d+: /, ''))
    .join('\n')
}

const answer =
  (body: BodyInit | null, headers: Record<string, string> = {}, status = 200) =>
  () =>
    new Response(body, { status, headers })

describe('the text of a page', () => {
  test.each([
    ['headings', '<h2>One</h2><h4>Two</h4>', '## One \n\n#### Two'],
    [
      'lists within lists',
      '<ul><li>a.<ol><li>b.</li><li>c.</li></ol></li><li>d.</li></ul>',
      '* a.\n    1. b.\n    2. c.\n  * d.',
    ],
    ['line breaks', 'a.<br>b.', 'a.  \nb.'],
    ['quotes within quotes', '<blockquote><p>a.</p><blockquote>b.</blockquote></blockquote>', '> a.\n> \n>> b.'],
    ['code', '<pre>a\n  b</pre>c', '    a\n      b \n\nc'.trimStart()],
    ['words of two elements', '<b>a</b><i>b</i>, <td>c</td><td>d</td>', 'a b, c d'],
    ['what no reader sees', 'a<script>b</script><style>c</style><template>d</template><math>e</math>.', 'a.'],
    [
      'links without an address',
      '<a>a</a> <a href="#b">b</a> <a href="javascript:c">c</a> <a href="mailto:d@e">d</a>',
      'a b c d',
    ],
    ['an open link', '<a href="/x">to x', '【0†to x】'],
    ['definitions', '<dl><dt>a.</dt><dd>b.</dd></dl>', 'a.\n    b.'],
  ])('%s', async (_, html, text) => {
    expect(await textOf(html)).toBe(text)
  })

  test('60,000 elements within each other are read', async () => {
    expect(await textOf(`${'<div>'.repeat(60_000)}deep${'</div>'.repeat(60_000)}`)).toBe('deep')
  })

  test('a head that is not closed ends with the first element of a body', async () => {
    expect(await textOf('<head><title>t</title><link rel=x><p>text')).toBe('text')
  })

  test('entities are read, in texts and addresses', async () => {
    expect(await textOf('a &lt;b&gt; &eacute; &#8364; <a href="/x?a=1&amp;b=2">x</a>')).toBe('a <b> é € 【0†x】')
  })

  test('100,000 quotes and lists within each other stay short', async () => {
    for (const tag of ['blockquote', 'ul']) {
      expect((await textOf(`${`<${tag}>`.repeat(100_000)}<li>x`)).length).toBeLessThan(1_000)
    }
  })
})

describe('a page is loaded', () => {
  test('by a relative redirection', async () => {
    const web = { 'https://site.test/a': answer(null, { location: '/page' }, 301), [HERE]: '<p>here</p>' }
    expect(await open('', { fetch: fetchOf(web) }, 'https://site.test/a')).toContain(`(${HERE})`)
  })

  test('as plain text and as JSON', async () => {
    expect(await open(answer('<b>a</b>', { 'content-type': 'text/plain' }))).toContain('L2: <b>a</b>')
    expect(await open(answer('{"a": 1}', { 'content-type': 'application/ld+json' }))).toContain('{"a": 1}')
  })

  test('in the encoding that it says', async () => {
    const latin = new Uint8Array([0xe9, 0x21])
    expect(await open(answer(latin, { 'content-type': 'text/plain; charset=iso-8859-1' }))).toContain('é!')
    const meta = new Uint8Array([...new TextEncoder().encode('<meta charset="iso-8859-2">'), 0xb1])
    expect(await open(answer(meta, { 'content-type': 'text/html' }))).toContain('ą')
    expect(await open(answer('é', { 'content-type': 'text/plain; charset=no-such' }))).toContain('é')
  })

  test('with a title and an address that do not crowd out its text', async () => {
    const shown = await open(`<title>${'t'.repeat(100_000)}</title><p>here <a href="/${'x'.repeat(5_000)}">far</a></p>`)
    expect(shown.length).toBeLessThan(1_000)
    expect(shown).toContain('here far')
  })

  test('without a scheme', async () => {
    expect(await open('<p>here</p>', {}, 'site.test/page')).toContain(`(${HERE})`)
  })

  test('up to its limit, and the model is told so', async () => {
    const shown = await open(`<p>${'word '.repeat(1_000)}</p>`, { maxPageBytes: 100 })
    expect(shown).toContain('[The rest of the page is left out: it is longer than 100 bytes.]')
    expect(shown.length).toBeLessThan(500)
  })

  test('up to its limit when it never ends', async () => {
    let pulled = 0
    const endless = new ReadableStream({
      pull(controller) {
        pulled += 1
        controller.enqueue(new Uint8Array(1_024).fill(0x61))
      },
    })
    expect(await open(answer(endless, { 'content-type': 'text/plain' }), { maxPageBytes: 4_096 })).toContain('left out')
    expect(pulled).toBeLessThan(10)
  })
})

describe('the model is told in a line why a page is not loaded', () => {
  const endless = (): Promise<Response> => new Promise(() => {})
  test.each([
    ['HTTP 404', answer('', {}, 404), HERE, {}],
    [
      'it is application/pdf, which cannot be read as text',
      answer('', { 'content-type': 'application/pdf' }),
      HERE,
      {},
    ],
    ['of an unknown type', answer('', { 'content-type': '"/><b>' }), HERE, {}],
    ['too many redirections', answer(null, { location: HERE }, 302), HERE, {}],
    ['it leads to an invalid address', answer(null, { location: 'https://' }, 302), HERE, {}],
    ['only http and https can be opened', answer(null, { location: 'file:///etc/passwd' }, 302), HERE, {}],
    ['only http and https can be opened', '', 'file:///etc/passwd', {}],
    ['an address must not contain a password', '', 'https://user:pass@site.test/', {}],
    ['it is not a valid address', '', 'https://', {}],
    ['it is too long', '', `https://site.test/${'x'.repeat(100_000)}`, {}],
    ['the connection failed', '', 'https://absent.test/', {}],
    ['no answer within 1 seconds', endless, HERE, { seconds: 1 }],
  ])('%s', async (why, page, url, given) => {
    const slow: typeof globalThis.fetch = (input, init) =>
      Promise.race([
        fetchOf({ [HERE]: page })(input),
        new Promise<never>((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))),
      ])
    const said = await open(page, { fetch: slow, ...given }, url)
    expect(said).toContain(why)
    expect(said).toMatch(/^Error fetching URL `.{0,203}`: .*$/)
  })
})
