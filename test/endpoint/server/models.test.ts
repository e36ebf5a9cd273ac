import { describe, expect, test } from 'vitest'
import type { ResponsesAppOptions } from '../../../src/endpoint/server/index.js'
import { answer, scriptedEngine } from '../../../src/testing/index.js'
import { type Answer, type Endpoint, endpoint, tokenTable } from './endpoint.js'
import { connect, create, serve } from './web-socket/sockets.js'

const NAMES = ['gpt-oss-20b', 'openai/gpt-oss-120b'] as const

function serving(options: Partial<ResponsesAppOptions>): Endpoint {
  return endpoint(() => answer('Hi.'), options)
}

/** The four routes that take a model. */
async function everyRoute({ ask }: Endpoint, model: string): Promise<Answer[]> {
  const body = { model, input: 'Hi' }
  return [
    await ask('POST', '/responses', body),
    await ask('POST', '/responses/input_tokens', body),
    await ask('POST', '/responses/compact', body),
    await ask('POST', '/chat/completions', { model, messages: [{ role: 'user', content: 'Hi' }] }),
  ]
}

const statuses = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status)

describe('an app with models', () => {
  test('an app with models serves each of them on every route', async () => {
    for (const name of NAMES) {
      expect(statuses(await everyRoute(serving({ models: NAMES }), name))).toEqual([200, 200, 200, 200])
    }
  })

  test('an app with models answers any other name with 404, in the words of OpenAI, on every route', async () => {
    for (const name of ['gpt-5.4', 'gpt-oss', 'GPT-OSS-20B', 'toString']) {
      const served = serving({ models: NAMES })
      const answers = await everyRoute(served, name)
      expect(statuses(answers)).toEqual([404, 404, 404, 404])
      for (const { body } of answers) {
        expect(body.error).toMatchObject({ code: 'model_not_found', message: expect.stringContaining(`'${name}'`) })
      }
      expect([served.errors, served.service.load]).toEqual([[], { running: 0, waiting: 0 }])
    }
  })

  test('a name that is not served is cut in the answer', async () => {
    const { body } = await serving({ models: NAMES }).create({ model: 'x'.repeat(1000), input: 'Hi' })
    expect(body.error.message.length).toBeLessThan(200)
  })

  test('a request that names no model gets the first one', async () => {
    const { body } = await serving({ models: NAMES }).ask('POST', '/responses', { input: 'Hi' })
    expect(body.model).toBe('gpt-oss-20b')
  })

  test('an app with models refuses other names over a socket, which stays open', async () => {
    const client = await connect(await serve({ engine: scriptedEngine(() => answer('Hi.')), models: NAMES }))
    client.send(create('Hi', { model: 'gpt-5.4' }))
    expect(await client.answer()).toMatchObject([{ type: 'error', status: 404, error: { code: 'model_not_found' } }])
    client.send(create('Hi', { model: NAMES[1] }))
    expect((await client.answer()).at(-1)).toMatchObject({ type: 'response.completed' })
  })

  test("with otherModels 'any' an app lists its models, and serves any other name", async () => {
    const served = serving({ models: NAMES, otherModels: 'any' })
    const { body } = await served.ask('GET', '/models')
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(NAMES)
    for (const name of [...NAMES, 'gpt-5.4']) {
      const answers = await everyRoute(served, name)
      expect(statuses(answers)).toEqual([200, 200, 200, 200])
      expect(answers[0]?.body.model).toBe(name)
    }
  })
})

describe('an app without models', () => {
  test('an app without models lists gpt-oss, and serves any name', async () => {
    const served = serving({})
    expect((await served.ask('GET', '/models')).body.data).toMatchObject([{ id: 'gpt-oss' }])
    expect(statuses(await everyRoute(served, 'gpt-5.4'))).toEqual([200, 200, 200, 200])
  })

  test("with otherModels 'refuse' an app without models serves gpt-oss alone", async () => {
    const served = serving({ otherModels: 'refuse' })
    expect(statuses(await everyRoute(served, 'gpt-oss'))).toEqual([200, 200, 200, 200])
    expect(statuses(await everyRoute(served, 'gpt-5.4'))).toEqual([404, 404, 404, 404])
  })

  test('a function of engines says which models there are, within those that models allows', async () => {
    const own = scriptedEngine(() => answer('Hi.'), { tokenTable })
    const engine = (model: string) => (model.startsWith('gpt-oss') ? own : undefined)
    expect(statuses(await everyRoute(serving({ engine }), 'gpt-oss-20b'))).toEqual([200, 200, 200, 200])
    expect(statuses(await everyRoute(serving({ engine }), 'gpt-5.4'))).toEqual([404, 404, 404, 404])
    const asked: string[] = []
    const watched = (model: string) => {
      asked.push(model)
      return engine(model)
    }
    const restricted = serving({ engine: watched, models: ['gpt-oss-20b'] })
    expect(statuses(await everyRoute(restricted, 'gpt-oss-120b'))).toEqual([404, 404, 404, 404])
    expect(asked).toEqual([])
  })
})

describe('a model by its name', () => {
  const gets = async ({ ask }: Endpoint, name: string, headers = {}): Promise<unknown[]> => {
    const { status, body } = await ask('GET', `/models/${name}`, undefined, headers)
    return [status, body.id ?? body.error.code ?? body.error.type]
  }

  test("a name that otherModels 'any' serves is found, in the form of each API", async () => {
    const open = serving({ models: NAMES, otherModels: 'any' })
    expect(await gets(open, 'gpt-5.4')).toEqual([200, 'gpt-5.4'])
    expect(await gets(open, 'org/gpt-5.4')).toEqual([200, 'org/gpt-5.4'])
    const { body } = await open.ask('GET', '/models/claude-x', undefined, { 'anthropic-version': '2023-06-01' })
    expect(body).toMatchObject({ type: 'model', id: 'claude-x', display_name: 'claude-x' })
  })

  test('an alias that Claude Code gets listed is found with and without the header of its API', async () => {
    const named = serving({ models: NAMES })
    for (const headers of [{}, { 'anthropic-version': '2023-06-01' }]) {
      expect(await gets(named, 'claude-gpt-oss-120b', headers)).toEqual([200, 'claude-gpt-oss-120b'])
    }
  })

  test('a name that is listed is found, also where a function of engines does not have it', async () => {
    const { ask } = endpoint([], { engine: () => undefined })
    const [listed] = (await ask('GET', '/models')).body.data
    expect(await ask('GET', `/models/${listed.id}`)).toMatchObject({ status: 200, body: { id: 'gpt-oss' } })
  })

  test('a name that no POST serves is not found in any API', async () => {
    const own = scriptedEngine(() => answer('Hi.'), { tokenTable })
    const engine = (model: string) => (model === 'gpt-oss-20b' ? own : undefined)
    for (const options of [{ models: NAMES }, { otherModels: 'refuse' }, { engine }] as const) {
      expect(await gets(serving(options), 'gpt-5.4')).toEqual([404, 'model_not_found'])
      const theirs = { 'anthropic-version': '2023-06-01' }
      expect(await gets(serving(options), 'gpt-5.4', theirs)).toEqual([404, 'not_found_error'])
    }
    expect(await gets(serving({ engine }), 'gpt-oss-20b')).toEqual([200, 'gpt-oss-20b'])
  })
})

test('models that are no list of names, and other words for otherModels, are typed errors', () => {
  const make = (options: object) => () => serving(options)
  expect(make({ models: 'any' })).toThrow("models: expected an array of names (otherModels: 'any' serves all others)")
  expect(make({ models: [] })).toThrow('models: expected an array of names')
  expect(make({ otherModels: true })).toThrow("otherModels: expected 'any' or 'refuse', got true")
})
