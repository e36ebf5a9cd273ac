import { describe, expect, test } from 'vitest'
import { probe } from '../../../src/judge/probe/index.js'
import { closeServers, probed, serve } from './play.js'
import { sendJson } from './server.js'

closeServers()

/** A server's URL in all its forms. */
describe('a URL', () => {
  test.each(['', '/', '/v1', '/v1/', '/v1/responses', '/v1/responses/'])(
    'a URL with %j after the host is taken',
    async (path) => {
      const server = await serve()
      const { url } = await probe({ url: server.url + path })
      expect(url).toBe(`${server.url}/v1/responses`)
      expect((await probed(server.url + path, { only: ['plain'] })).get('plain')?.verdict).toBe('pass')
    },
  )

  test.each([
    ['http://host/api', 'http://host/api/v1/responses'],
    ['http://host/openai/v1', 'http://host/openai/v1/responses'],
    ['http://host/backend/codex/responses', 'http://host/backend/codex/responses'],
    ['https://host/v1?api-version=1', 'https://host/v1/responses'],
  ])('the URL %s means %s', async (given, shown) => {
    const { url } = await probe({ url: given, model: 'm' })
    expect(url).toBe(shown)
  })

  test('a URL keeps its query in requests', async () => {
    const server = await serve()
    const { results } = await probe({ url: `${server.url}/v1?api-version=1`, model: 'm', only: ['abort'] })
    await results.next().catch(() => {})
    expect(server.asked[0]?.path).toBe('/v1/responses?api-version=1')
  })

  test.each(['localhost:8000', 'ftp://host', 'bob:secret@host'])(
    'the URL %j is refused, and not repeated',
    async (url) => {
      const error = await probe({ url }).catch((error: Error) => error)
      expect(error).toMatchObject({ code: 'bad_option' })
      expect(String(error)).not.toContain('secret')
    },
  )
})

describe('the model', () => {
  test('the model is the first that the server lists', async () => {
    const server = await serve()
    expect((await probe({ url: server.url })).model).toBe('canned-model')
  })

  test('the model is the one that is asked for', async () => {
    const server = await serve()
    const { model, results } = await probe({ url: server.url, model: 'mine', only: ['plain'] })
    for await (const _ of results);
    expect(model).toBe('mine')
    expect(server.asked.map(({ body }) => body['model'])).toEqual(['mine', 'mine'])
  })

  test('the model is "default" if the server lists none', async () => {
    const server = await serve({
      reply: ({ method }, response) => {
        if (method !== 'GET') return false
        sendJson(response, 404, {})
        return true
      },
    })
    expect((await probe({ url: server.url })).model).toBe('default')
  })
})

describe('secrets', () => {
  test('secrets are sent with every request, and repeated by no result, although the server repeats them', async () => {
    const server = await serve({
      reply: ({ headers, path }, response) => {
        if (path !== '/v1/responses') return false
        const message = `key ${headers.authorization} and ${headers['x-key']} are not known`
        sendJson(response, 500, { error: { message } })
        return true
      },
    })
    const headers = { Authorization: 'Bearer sk-verysecret', 'X-Key': 'other"secret' }
    const results = await probed(server.url, { headers, model: 'm', only: ['plain', 'missing-input'] })
    const text = JSON.stringify([...results.values()])
    expect(text).toContain('[hidden]')
    expect(text).not.toMatch(/verysecret|other/)
  })

  test('secrets that a long text cuts in the middle are not repeated by half', async () => {
    for (const length of [130, 140, 145, 150]) {
      const server = await serve({
        reply: ({ path }, response) => {
          if (path !== '/v1/responses') return false
          sendJson(response, 500, { error: { message: `${'x'.repeat(length)} sk-verysecret-and-long` } })
          return true
        },
      })
      const headers = { Authorization: 'Bearer sk-verysecret-and-long' }
      const results = await probed(server.url, { headers, model: 'm', only: ['plain', 'missing-input', 'resume'] })
      expect(JSON.stringify([...results.values()])).not.toContain('sk-v')
    }
  })

  test('secrets in the URL go into a header, and into no result', async () => {
    const server = await serve()
    const url = server.url.replace('http://', 'http://bob:hunter2@')
    const started = await probe({ url, only: ['plain'], model: 'm' })
    for await (const _ of started.results);
    expect(started.url).not.toContain('hunter2')
    expect(server.asked[0]?.headers.authorization).toBe(`Basic ${btoa('bob:hunter2')}`)
  })
})

test.each([
  [{ only: ['nothing'] }, 'only[0]: expected'],
  [{ onyl: ['plain'] }, 'probe: there is no option "onyl", did you mean only?'],
  [{ profile: 'x' }, 'profile: expected'],
  [{ timeout: 0 }, 'timeout: expected'],
  [{ maxBytes: Number.NaN }, 'maxBytes: expected'],
] as [object, string][])('the probe refuses the options %j', async (options, message) => {
  await expect(probe({ url: 'http://localhost', ...options })).rejects.toThrow(message)
})
