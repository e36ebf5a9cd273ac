import OpenAI, { BadRequestError, InternalServerError } from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkEvents, readStreams } from '../../src/judge/conformance/index.js'
import { createSite, FRAMEWORKS, type Framework, type Site, type Started } from './servers/site.mjs'

/* Tests examples/servers/ as the package ships them, each run by its framework. */

const names = Object.keys(FRAMEWORKS) as Framework[]
let site: Site

beforeAll(async () => {
  site = await createSite(new URL('servers/model.mjs', import.meta.url).pathname, names)
}, 300_000)
afterAll(() => site?.remove())

describe.each(names)('the example of %s', (name) => {
  let server: Started
  let client: OpenAI

  beforeAll(async () => {
    server = await site.start(name)
    client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 })
  })
  afterAll(() => server?.stop())

  const post = (body: object | string, signal?: AbortSignal): Promise<Response> =>
    fetch(`${server.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...(signal && { signal }),
    })
  const asked = (input: string) => ({ model: 'gpt-oss', input })

  test(`the example of ${name} streams to the openai SDK`, async () => {
    const response = await client.responses.stream(asked('Hello')).finalResponse()
    expect(response.output.map(({ type }) => type)).toEqual(['reasoning', 'message'])
    expect(response.output_text).toBe('Hello! How can I help?')
  })

  test(`the example of ${name} sends an event stream that the judge has nothing against`, async () => {
    const answer = await post({ ...asked('Hello'), stream: true })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
    const streams = readStreams(await answer.text())
    expect(streams).toHaveLength(1)
    expect(streams.flatMap((events) => checkEvents(events))).toEqual([])
  })

  test(`the example of ${name} answers a request that does not stream`, async () => {
    expect(await client.responses.create(asked('Hello'))).toMatchObject({
      object: 'response',
      status: 'completed',
      output_text: 'Hello! How can I help?',
    })
  })

  test(`the example of ${name} sends each event before the model continues, and stops it when the client leaves`, async () => {
    const stream = await client.responses.create({ ...asked('hanging in a stream'), stream: true })
    for await (const event of stream) if (event.type === 'response.output_text.delta') break
    await server.until(/hanging in a stream: stopped/)
  })

  test(`the example of ${name} stops the model when a client leaves that does not stream`, async () => {
    const leaving = new AbortController()
    const answer = client.responses.create(asked('hanging as a whole'), { signal: leaving.signal })
    await server.until(/hanging as a whole: waits/)
    leaving.abort()
    await expect(answer).rejects.toThrow(OpenAI.APIUserAbortError)
    await server.until(/hanging as a whole: stopped/)
  })

  test(`the example of ${name} takes tokens at the pace of its client`, async () => {
    const leaving = new AbortController()
    await post({ ...asked('endless'), stream: true }, leaving.signal)
    // Each question lets the server continue with the first response, which it does unless it waits for the client.
    const pulled = async (): Promise<number> => Number((await client.responses.create(asked('pulled'))).output_text)
    let count = -1
    for (let now = await pulled(); now !== count; now = await pulled()) count = now
    leaving.abort()
    const [, closed, all] = await server.until(/endless: closed after (\d+) of (\d+)/)
    expect(Number(closed)).toBeGreaterThan(0)
    expect(Number(closed)).toBeLessThan(Number(all) / 2)
  })

  test(`the example of ${name} refuses what translate refuses with an error of the SDK`, async () => {
    const refused = await client.responses
      .create({ ...asked('endless'), stream: true, include: 'everything' as never })
      .catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(BadRequestError)
    expect(refused).toMatchObject({
      type: 'invalid_request_error',
      message: expect.stringContaining('request.include: expected an array of strings, got "everything"'),
    })
  })

  test(`the example of ${name} refuses a body that is not JSON in OpenAI's form`, async () => {
    const answer = await post('{"input": ')
    expect([answer.status, await answer.json()]).toEqual([
      400,
      {
        error: {
          type: 'invalid_request_error',
          message: expect.any(String),
          param: null,
          code: expect.toSatisfy(isCode),
        },
      },
    ])
  })

  test(`the example of ${name} refuses JSON that is no request`, async () => {
    for (const body of ['null', '[]', '7']) expect([body, (await post(body)).status]).toEqual([body, 400])
  })

  test(`the example of ${name} answers 500 without the cause where the engine cannot be called`, async () => {
    const failed = await client.responses
      .create({ ...asked('unreachable'), stream: true })
      .catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(InternalServerError)
    expect(failed).toMatchObject({ status: 500, message: '500 internal error', type: 'server_error' })
    expect(server.printed).toContain('no engine at http://10.0.0.7')
  })

  test(`the example of ${name} prints nothing about clients that left, or requests that it refused`, () => {
    const lines = server.printed.split('\n').filter((line) => /error/i.test(line))
    expect(lines.filter((line) => !line.includes('no engine at'))).toEqual([])
  })

  test(`the example of ${name} takes a request of 2 MB`, async () => {
    expect((await post(asked('word '.repeat(400_000)))).status).toBe(200)
  })
})

const isCode = (code: unknown): boolean => code === null || typeof code === 'string'
