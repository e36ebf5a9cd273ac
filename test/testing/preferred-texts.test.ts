import { expect, test } from 'vitest'
import { z } from 'zod'
import { loadTokenTable } from '../../src/core/tokens/load-token-table.js'
import { respond } from '../../src/endpoint/respond/index.js'
import { createMatcher, jsonSchemaToGbnf, type MatcherState } from '../../src/engines/grammar/index.js'
import { answer, scriptedEngine } from '../../src/testing/index.js'
import { stringsIn } from '../../src/testing/json-strings.js'
import { withPreferredTexts } from '../../src/testing/preferred-texts.js'

const tokenTable = await loadTokenTable()

/** The engine's output for a script that does not fit the schema. */
async function completed(schema: unknown, script = 'no JSON'): Promise<unknown> {
  const format = { type: 'json_schema', name: 'f', schema } as const
  const engine = scriptedEngine([answer(script)])
  for await (const events of respond({ input: 'Hello', text: { format } } as never, { engine, tokenTable })) {
    for (const event of events) if (event.type === 'response.output_text.done') return JSON.parse(event.text)
  }
  return undefined
}

const FORMATS = {
  email: z.email(),
  html5Email: z.email({ pattern: z.regexes.html5Email }),
  url: z.url(),
  httpUrl: z.httpUrl(),
  emoji: z.emoji(),
  jwt: z.jwt(),
  duration: z.iso.duration(),
  datetime: z.iso.datetime(),
  local: z.iso.datetime({ local: true }),
  date: z.iso.date(),
  time: z.iso.time(),
  uuid: z.uuid(),
  uuidv7: z.uuidv7(),
  guid: z.guid(),
  nanoid: z.nanoid(),
  cuid: z.cuid(),
  cuid2: z.cuid2(),
  ulid: z.ulid(),
  xid: z.xid(),
  ksuid: z.ksuid(),
  hostname: z.hostname(),
  ipv4: z.ipv4(),
  ipv6: z.ipv6(),
  mac: z.mac(),
  cidrv4: z.cidrv4(),
  cidrv6: z.cidrv6(),
  base64: z.base64(),
  base64url: z.base64url(),
  e164: z.e164(),
  hex: z.hex(),
  hash: z.hash('sha256'),
  affixes: z.string().includes('x').startsWith('a').endsWith('z'),
  template: z.templateLiteral(['a', z.number()]),
  float: z.float32(),
}

test('the values that the scripted engine writes instead of prose are accepted by Zod, in every format that it has', async () => {
  const type = z.strictObject(FORMATS)
  const { success, error } = type.safeParse(await completed(z.toJSONSchema(type)))
  expect({ success, error }).toEqual({ success: true, error: undefined })
})

test('formats are found in lists, in alternatives, behind references and under any name', async () => {
  const Link = z.object({ href: z.httpUrl() }).meta({ id: 'Link' })
  const type = z.object({
    list: z.array(z.jwt()).min(2),
    pair: z.tuple([z.emoji(), z.url()]),
    either: z.union([z.object({ kind: z.literal('a'), at: z.httpUrl() }), z.null()]),
    links: z.array(Link).min(1),
    by: z.record(z.enum(['one', 'two']), z.httpUrl()),
  })
  const { success, error } = type.safeParse(await completed(z.toJSONSchema(type)))
  expect({ success, error }).toEqual({ success: true, error: undefined })
})

test("the script's own text stays, and only the missing part is filled in", async () => {
  const type = z.object({ one: z.string(), two: z.httpUrl(), three: z.httpUrl().max(13) })
  const body = await completed(z.toJSONSchema(type), '{"one": "mine", "two": "htt')
  expect(body).toMatchObject({ one: 'mine', two: expect.stringMatching(/^htt/) as string })
})

test('the strings of a JSON text are found with their paths, whatever is in them', () => {
  const value = { 'a"b': ['x', { '}': '\\"]' }], c: { d: '' }, e: [[1, 'y', null, 'z:']] }
  const json = JSON.stringify(value)
  const found = stringsIn(json).map(({ start, end, path }) => [
    path.join('/'),
    JSON.parse(json.slice(start, end)) as unknown,
  ])
  expect(found).toEqual([
    ['a"b/0', 'x'],
    ['a"b/1/}', '\\"]'],
    ['c/d', ''],
    ['e/0/1', 'y'],
    ['e/0/3', 'z:'],
  ])
})

/** The same state, with a count of the completions that are looked for: each takes time that grows with the body. */
function counted(state: MatcherState, count: () => void): MatcherState {
  return {
    ...state,
    get isComplete() {
      return state.isComplete
    },
    accept(text) {
      const next = state.accept(text)
      return next && counted(next, count)
    },
    completion(most) {
      count()
      return state.completion(most)
    },
  }
}

test('the texts of a body of many formats are replaced without looking for the rest of it at each', () => {
  const names = Array.from({ length: 250 }, (_, index) => `p${index}`)
  const properties = Object.fromEntries(
    names.map((name, index) => [name, { type: 'string', format: ['date', 'email', 'uri', 'uuid'][index % 4] }]),
  )
  const schema = { type: 'object', properties, required: names, additionalProperties: false }
  const state = createMatcher(jsonSchemaToGbnf(schema))
  let looked = 0
  const most = counted(state, () => {
    looked += 1
  })
  const body = withPreferredTexts('', state.completion() as string, most, schema)
  expect(looked).toBe(0)
  expect(Object.values(JSON.parse(body) as object).slice(0, 4)).toEqual([
    ...['2024-01-01', 'user@example.com', 'https://example.com', '3f2504e0-4f89-41d3-9a0c-0305e82c3301'],
  ])
})
