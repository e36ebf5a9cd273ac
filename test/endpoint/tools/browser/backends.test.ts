import { describe, expect, test } from 'vitest'
import {
  brave,
  exa,
  type SearchWeb,
  searxng,
  tavily,
  type WebSearchContext,
} from '../../../../src/endpoint/tools/browser/index.js'

interface Asked {
  readonly url: URL
  readonly headers: Headers
  readonly body: unknown
}

/** A service with this answer, and the request that it got. */
function service(answer: unknown, status = 200): { fetch: typeof globalThis.fetch; asked: Asked[] } {
  const asked: Asked[] = []
  const fetch: typeof globalThis.fetch = async (input, init = {}) => {
    const body = init.body === undefined ? undefined : JSON.parse(String(init.body))
    asked.push({ url: new URL(String(input)), headers: new Headers(init.headers), body })
    return new Response(typeof answer === 'string' ? answer : JSON.stringify(answer), { status })
  }
  return { fetch, asked }
}

const context = (given: Partial<WebSearchContext> = {}): WebSearchContext => ({
  ...{ maxResults: 10, allowedDomains: undefined, blockedDomains: undefined, location: undefined },
  signal: new AbortController().signal,
  ...given,
})

const KEY = 'secret-key'
const found = { title: 'Otters', url: 'https://site.test/', snippet: 'They hold hands.' }
const DOMAINS = { allowedDomains: ['a.test', 'b.test'], blockedDomains: ['c.test'], location: { country: 'NZ' } }

/** Each service's answer in the form of its public documentation, with markup where it has some. */
const SERVICES: Readonly<Record<string, [(fetch: typeof globalThis.fetch) => SearchWeb, answer: object]>> = {
  searxng: [
    (fetch) => searxng({ url: 'https://searx.test/sub/', fetch }),
    { query: 'otters', results: [{ title: found.title, url: found.url, content: found.snippet, engines: ['a'] }] },
  ],
  brave: [
    (fetch) => brave({ apiKey: KEY, fetch }),
    {
      type: 'search',
      web: { results: [{ ...found, description: 'They <strong>hold</strong> hands.', snippet: undefined }] },
    },
  ],
  exa: [
    (fetch) => exa({ apiKey: KEY, fetch }),
    { results: [{ title: found.title, url: found.url, id: 'x', highlights: ['They hold hands.'] }] },
  ],
  tavily: [
    (fetch) => tavily({ apiKey: KEY, fetch }),
    { query: 'otters', results: [{ title: found.title, url: found.url, content: found.snippet, score: 0.9 }] },
  ],
}

describe('a search service', () => {
  test.each(Object.entries(SERVICES))(
    '%s finds pages with a title, an address and a passage',
    async (_, [create, answer]) => {
      expect(await create(service(answer).fetch)('otters', context())).toEqual([found])
    },
  )

  test.each(Object.entries(SERVICES))(
    '%s: what is no result is left out, and odd fields are empty',
    async (name, [create]) => {
      const results = [null, 1, {}, { url: 5 }, { url: 'https://x.test/', title: {} }]
      const answer = name === 'brave' ? { web: { results } } : { results }
      expect(await create(service(answer).fetch)('a', context())).toEqual([
        { title: '', url: 'https://x.test/', snippet: '' },
      ])
    },
  )

  test.each(Object.entries(SERVICES))(
    '%s: an error names the service and what came, without its key',
    async (name, [create]) => {
      for (const [answer, status, why] of [
        [`key ${KEY} is wrong`, 401, 'HTTP 401'],
        ['<html>', 200, 'the answer is not JSON'],
        [{ web: 1 }, 200, 'the answer has no list'],
        ['x'.repeat(5_000_000), 200, 'larger than 4194304 bytes'],
      ] as const) {
        const failing = Promise.resolve(create(service(answer, status).fetch)('a', context()))
        const error = await failing.then(
          () => undefined,
          (thrown: Error) => thrown.message,
        )
        expect(error).toContain(`${name}: `)
        expect(error).toContain(why)
        expect(error).not.toContain(KEY)
      }
    },
  )

  test.each([
    ['brave', 'x-subscription-token', KEY],
    ['exa', 'x-api-key', KEY],
    ['tavily', 'authorization', `Bearer ${KEY}`],
  ])('%s has its key in the header %s alone', async (name, header, value) => {
    const [create, answer] = SERVICES[name] as (typeof SERVICES)[string]
    const { fetch, asked } = service(answer)
    await create(fetch)('otters', context())
    expect(asked[0]?.headers.get(header)).toBe(value)
    expect(asked[0]?.url.href).not.toContain(KEY)
    expect(JSON.stringify(asked[0]?.body ?? '')).not.toContain(KEY)
  })

  test('searxng and brave write domains into the query, exa and tavily have fields for them', async () => {
    const asked: Record<string, Asked | undefined> = {}
    for (const [name, [create, answer]] of Object.entries(SERVICES)) {
      const made = service(answer)
      await create(made.fetch)('otters', context(DOMAINS))
      asked[name] = made.asked[0]
    }
    const query = 'otters (site:a.test OR site:b.test) -site:c.test'
    expect(asked['searxng']?.url.href).toContain('https://searx.test/sub/search?')
    expect(asked['searxng']?.url.searchParams.get('q')).toBe(query)
    expect(Object.fromEntries(asked['brave']?.url.searchParams ?? [])).toEqual({ q: query, count: '10', country: 'NZ' })
    const domains = ['a.test', 'b.test']
    expect(asked['exa']?.body).toMatchObject({ query: 'otters', includeDomains: domains, excludeDomains: ['c.test'] })
    expect(asked['tavily']?.body).toMatchObject({
      include_domains: domains,
      exclude_domains: ['c.test'],
      max_results: 10,
    })
  })

  test('a user and a password of an instance are sent in a header, and are in no address', async () => {
    const { fetch, asked } = service({ results: [] })
    await searxng({ url: 'https://me:secret@searx.test', fetch })('otters', context())
    expect(asked[0]?.headers.get('authorization')).toBe(`Basic ${btoa('me:secret')}`)
    expect(asked[0]?.url.href).toBe('https://searx.test/search?q=otters&format=json')
  })

  test('a wrong option is refused, and an address that may have a password is not repeated', () => {
    expect(() => searxng({ url: 'ftp://user:pass@x' })).toThrow(
      'url: expected an http or https URL, got text that is not a valid URL',
    )
    expect(() => brave({ apiKey: '' })).toThrow('apiKey: expected a non-empty string')
    expect(() => exa({} as never)).toThrow('apiKey')
  })
})
