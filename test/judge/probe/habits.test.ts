import { describe, expect, test } from 'vitest'
import { describeSlow } from '../../support/slow-suites.js'
import type { Habit } from './model.js'
import { closeServers, failing, probed, rulesOf, serve } from './play.js'
import { type Faults, sendJson } from './server.js'

closeServers()

/** A probe's results for a good server whose model has habits of its own. */
async function habits(...own: Habit[]) {
  const server = await serve({}, own)
  return probed(server.url)
}

/** The same, of some scenarios: a model that writes up to the limit of tokens takes long in all of them. */
async function habitsIn(only: readonly string[], own: Habit) {
  const server = await serve({}, [own])
  return probed(server.url, { only: [...only] })
}

describeSlow('a model that does something else is no fault of its server:', () => {
  test('a model that never calls a tool leaves calls inconclusive', async () => {
    const results = await habits('answers in text')
    expect(failing(results)).toEqual([])
    for (const name of ['call', 'call-whole', 'two-tools', 'tool-choice']) {
      expect(results.get(name)).toMatchObject({ verdict: 'inconclusive', findings: [] })
    }
  })

  test('a call that the limit of tokens cuts is reported as cut, not as an answer in text', async () => {
    const calls = ['call', 'call-whole', 'two-tools', 'tool-choice', 'chat-call', 'chat-two-tools']
    const results = await habitsIn(calls, 'never comes to its call')
    expect(failing(results)).toEqual([])
    for (const name of calls) {
      const { verdict, why } = results.get(name) ?? expect.fail(`no ${name}`)
      expect([name, verdict, why]).toEqual([name, 'inconclusive', expect.stringContaining('the limit of tokens ended')])
    }
  })

  test('a model that makes one call of two leaves two-tools inconclusive', async () => {
    const results = await habits('makes one call')
    expect(results.get('two-tools')).toMatchObject({ verdict: 'inconclusive', findings: [] })
    expect(failing(results)).toEqual([])
  })

  test('a model that writes invalid JSON as arguments is noted, but where the server took a strict function', async () => {
    const results = await habits('writes no JSON')
    expect(failing(results)).toEqual(['strict-bodies'])
    expect(results.get('call')?.notes.join()).toContain("the model's fault")
  })

  test('a model that is done before the limit leaves truncation inconclusive', async () => {
    const results = await habits('is brief')
    expect(results.get('truncation')).toMatchObject({ verdict: 'inconclusive', findings: [] })
    expect(failing(results)).toEqual([])
  })

  test('a model that forgets its conversation does not fail previous-response, as the tokens were counted', async () => {
    const results = await habitsIn(['previous-response'], 'forgets')
    expect(results.get('previous-response')).toMatchObject({ verdict: 'pass', findings: [] })
  })

  test('a model that never reasons fails nothing', async () => {
    expect(failing(await habits('never reasons'))).toEqual([])
  })

  test('a model that calls an undeclared tool fails nothing but the tool_choice that names another', async () => {
    expect(failing(await habits('calls undeclared tools'))).toEqual(['tool-choice'])
  })
})

test('a call that is made only under tool_choice "required" is asked for again', async () => {
  // A model that would rather talk, behind a server that enforces tool_choice.
  const server = await serve({
    read: (body) => (body['tool_choice'] === undefined && body['tools'] !== undefined ? { ...body, tools: [] } : body),
  })
  const results = await probed(server.url, { only: ['call'] })
  expect(results.get('call')).toMatchObject({ verdict: 'pass', requests: 3 })
})

test('a server that limits the rate is not accused of it', async () => {
  let creates = 0
  const server = await serve({
    reply: ({ method }, response) => {
      if (method !== 'POST' || ++creates < 3) return false
      sendJson(response, 429, { error: { message: 'slow down' } })
      return true
    },
  })
  const results = await probed(server.url, { only: ['plain', 'call', 'json-schema'] })
  expect(failing(results)).toEqual([])
  expect(results.get('plain')?.verdict).toBe('pass')
  expect(results.get('call')).toMatchObject({
    verdict: 'inconclusive',
    why: 'the server limits the rate: 429: slow down',
  })
})

describe('an optional ability that is refused is unsupported, and no failure:', () => {
  const refusing = (isRefused: (text: string, path: string) => boolean): Faults => ({
    reply: ({ text, path }, response) => {
      if (!isRefused(text, path)) return false
      sendJson(response, 400, {
        error: { message: 'not here', type: 'invalid_request_error', param: null, code: null },
      })
      return true
    },
  })

  test.each<[string, (text: string, path: string) => boolean]>([
    ['previous-response', (text) => text.includes('previous_response_id')],
    ['previous-response', (text) => text.includes('"store":true')],
    ['resume', (_, path) => path.includes('starting_after')],
    ['tool-choice', (text) => text.includes('"tool_choice"')],
    ['json-schema', (text) => text.includes('json_schema')],
  ])('an optional ability that is refused is unsupported, and no failure: %s (%#)', async (scenario, isRefused) => {
    const server = await serve(refusing(isRefused))
    const results = await probed(server.url, { only: [scenario] })
    expect(results.get(scenario)).toMatchObject({ verdict: 'unsupported', findings: [] })
    expect(results.get(scenario)?.why).toContain('not here')
  })

  test('a server whose context is shorter than long-reasoning asks for is asked for less', async () => {
    const server = await serve(refusing((text) => text.includes('"max_output_tokens":8192')))
    const results = await probed(server.url, { only: ['long-reasoning'] })
    expect(results.get('long-reasoning')).toMatchObject({ verdict: 'pass', findings: [] })
  })

  test('a server that refuses to reason long is asked for no more', async () => {
    const server = await serve(refusing((text) => text.includes('"effort":"high"')))
    const results = await probed(server.url, { only: ['long-reasoning'] })
    expect(results.get('long-reasoning')).toMatchObject({ verdict: 'unsupported', findings: [] })
  })

  test('a refusal of an optional ability that clients cannot read is a finding', async () => {
    const server = await serve({
      reply: ({ path }, response) => {
        if (!path.includes('starting_after')) return false
        sendJson(response, 500, { detail: 'Internal Server Error' })
        return true
      },
    })
    expect(rulesOf((await probed(server.url, { only: ['resume'] })).get('resume'))).toEqual(['answers'])
  })
})
