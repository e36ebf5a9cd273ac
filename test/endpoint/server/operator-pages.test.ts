import { describe, expect, test } from 'vitest'
import { type Authorize, bearerKeys } from '../../../src/endpoint/server/index.js'
import { endpoint } from './endpoint.js'

const OPERATOR = 'the-key-of-the-operator'
const ANN = 'a-key-of-ann-alone'
const authorize = bearerKeys({ [ANN]: 'ann' })
const authorizeOperator = bearerKeys({ [OPERATOR]: 'operator' })
const operatorPages = { '/metrics': () => new Response('figures') }

/** The status of GET, and what the answer says. */
async function get(options: Parameters<typeof endpoint>[1], headers: HeadersInit, path = '/metrics') {
  const response = await endpoint([], options).send(path, { headers })
  const text = await response.text()
  return response.ok ? text : [response.status, (JSON.parse(text) as { error: { code: string } }).error.code]
}

const by = (key: string) => ({ authorization: `Bearer ${key}` })

describe('operatorPages', () => {
  test("open for the operator's key, also in the header of Messages clients, and show a client that it is none", async () => {
    const options = { authorize, authorizeOperator, operatorPages }
    expect(await get(options, by(OPERATOR))).toBe('figures')
    expect(await get(options, { 'x-api-key': OPERATOR })).toBe('figures')
    expect(await get(options, by(ANN))).toEqual([403, 'operator_key_required'])
    expect(await get(options, by('another-key-0123456789'))).toEqual([401, 'invalid_api_key'])
    expect(await get(options, {})).toEqual([401, 'invalid_api_key'])
  })

  test('open for nobody without authorizeOperator', async () => {
    expect(await get({ authorize, operatorPages }, by(ANN))).toEqual([403, 'operator_key_required'])
    expect(await get({ operatorPages, authorize: undefined as never }, {})).toEqual([401, 'invalid_api_key'])
  })

  test('are behind the check of hosts, and not behind a pattern among pages', async () => {
    const options = { authorizeOperator, operatorPages, authorize: undefined as never }
    const pages = { '/*': () => new Response('for all') }
    expect(await get({ ...options, pages }, by(ANN))).toEqual([401, 'invalid_api_key'])
    const foreign = { ...by(OPERATOR), host: 'evil.example' }
    expect(await get(options, foreign)).toEqual([403, 'host_not_allowed'])
  })

  test('may replace a health check', async () => {
    const options = { authorize, authorizeOperator, operatorPages: { '/readyz': () => new Response('mine') } }
    expect(await get(options, {}, '/readyz')).toEqual([401, 'invalid_api_key'])
    expect(await get(options, by(OPERATOR), '/readyz')).toBe('mine')
  })

  test.each([[undefined], [null], [''], [false]])('authorizeOperator refuses by %j', async (name) => {
    const options = { authorize, authorizeOperator: (() => name) as Authorize, operatorPages }
    expect(await get(options, by(OPERATOR))).toEqual([401, 'invalid_api_key'])
  })

  test("the operator's key opens nothing of the API", async () => {
    expect(await get({ authorize, authorizeOperator, operatorPages }, by(OPERATOR), '/v1/models')).toEqual([
      401,
      'invalid_api_key',
    ])
  })
})
