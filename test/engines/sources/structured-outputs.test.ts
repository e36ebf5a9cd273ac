import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { constraintAfter } from '../../../src/endpoint/respond/strict/constraint-after.js'
import { checkEnforces } from '../../../src/engines/contract/check-constraint.js'
import { type Constraint, EngineError, type FittedConstraint } from '../../../src/engines/contract/index.js'
import { createMatcher } from '../../../src/engines/grammar/index.js'
import { createSglangEngine } from '../../../src/engines/sources/sglang.js'
import { NAMED_BACKENDS, type NamedBackend } from '../../../src/engines/sources/structured-outputs/backends.js'
import {
  enforcedBy,
  type SentConstraint,
  sentTo,
} from '../../../src/engines/sources/structured-outputs/fit-constraint.js'
import { type PlainFor, plainSchema } from '../../../src/engines/sources/structured-outputs/plain-schema.js'
import { createVllmEngine } from '../../../src/engines/sources/vllm.js'
import { atOnce } from '../../../src/shared/slices.js'
import { validatorOf } from '../../support/json-schema-judge.js'
import { readTokens } from '../../support/read-tokens.js'
import { rejectionsOf } from '../../support/rejections.js'
import { runs } from '../../support/runs.js'
import { anyCase } from '../grammar/schemas.js'

const leftOut = (schema: object): string[] =>
  atOnce(plainSchema(schema as never, 'xgrammar')).leftOut.map(({ path }) => path)
const anyBackend = fc.constantFrom<PlainFor>('xgrammar', 'other')
const city = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}

describe('the keywords of a schema that a grammar backend holds', () => {
  // Each was tested with xgrammar 0.2.8, which accepted invalid values where a path is listed here.
  test.each<[object, string[]]>([
    [city, []],
    [{ title: 'T', description: 'd', ...city, 'x-mine': { not: {} } }, []],
    [{ type: ['string', 'null'], maxLength: 3 }, []],
    [{ type: 'integer', minimum: 37, exclusiveMaximum: 1234 }, []],
    [{ enum: [1, '1', null] }, []],
    [{ enum: ['a', 'b'], type: 'string' }, []],
    [{ type: 'array', prefixItems: [{ type: 'integer' }], items: false }, []],
    [{ $defs: { n: city }, $ref: '#/$defs/n' }, []],
    [{ anyOf: [city, { type: 'null' }] }, []],
    [{ properties: { a: { type: 'string' } } }, []],
    [{}, []],
    [{ enum: ['a', 2], type: 'integer' }, ['/type']],
    [{ const: 1, type: 'string' }, ['/type']],
    [{ type: 'integer', anyOf: [{ minimum: 3 }] }, ['/anyOf']],
    [{ anyOf: [{ minimum: 3 }] }, ['/anyOf/0/minimum']],
    [{ type: 'object', properties: {}, required: ['z'] }, ['/required']],
    [{ type: 'string', format: 'date', minLength: 2 }, ['/format']],
    [{ type: 'string', pattern: '^a', maxLength: 5 }, ['/pattern']],
    [{ type: 'string', pattern: '(?=a)b' }, ['/pattern']],
    // xgrammar matches the whole text by them, and writes quotes and control characters as they are.
    ...['b+', '^ab', 'ab$', '^a|b$', '', '^"x"$', '^a\\nb$', '^\\u0022$', '^[\\t]$', '^[\u0001-0]$', '^a\\\\b$'].map(
      (pattern): [object, string[]] => [{ type: 'string', pattern }, ['/pattern']],
    ),
    ...['^$', '^(?:a|b)c{2}$', '^[A-Z]\\d{3}-\\.$', '^[^"x]*$', '^\\u0430é$', '^a.\\s["]$', '^[(|)]$'].map(
      (pattern): [object, string[]] => [{ type: 'string', pattern }, []],
    ),
    // Regular expressions differ in how they read these.
    ...['^[\\w-.]$', '^[^\\_]$', '^[z-a]$'].map((pattern): [object, string[]] => [
      { type: 'string', pattern },
      ['/pattern'],
    ]),
    // It fails at these, so that the call would.
    [{ enum: [] }, ['/enum']],
    [{ type: 'integer', minimum: 0.5 }, ['/minimum']],
    [{ type: ['integer', 'null'], maximum: 1e20 }, ['/maximum']],
    [{ type: 'integer', exclusiveMinimum: 3, exclusiveMaximum: 4 }, ['/exclusiveMinimum', '/exclusiveMaximum']],
    [{ type: 'number', minimum: 5, maximum: 3 }, ['/minimum', '/maximum']],
    [{ type: 'number', minimum: 3, exclusiveMaximum: 3 }, ['/minimum', '/exclusiveMaximum']],
    [{ type: 'number', minimum: 3, maximum: 3 }, []],
    [{ type: 'array', items: city, minItems: 2, maxItems: 1 }, ['/minItems', '/maxItems']],
    [{ type: 'array', items: false, minItems: 1 }, ['/minItems']],
    [{ type: 'array', prefixItems: [city, city], items: city, maxItems: 1 }, ['/prefixItems', '/items', '/maxItems']],
    // It takes missing `items` for none.
    [{ type: 'array', minItems: 1, maxItems: 2 }, ['/minItems', '/maxItems']],
    [{ type: 'array', prefixItems: [city] }, ['/prefixItems']],
    [{ type: 'array', prefixItems: [city], items: true, minItems: 1, maxItems: 1 }, []],
    // It writes bounds without exponents.
    [{ type: 'number', minimum: 1e-7 }, ['/minimum']],
    [{ type: 'string', format: 'uri' }, ['/format']],
    [{ type: 'string', format: 'uuid' }, []],
    [{ type: 'string', format: 'ipv6' }, []],
    // In part: '2021-02-30', '01.2.3.4', and a label of 64 letters.
    [{ type: 'string', format: 'date' }, ['/format']],
    [{ type: 'string', format: 'ipv4' }, ['/format']],
    [{ type: 'string', format: 'hostname' }, ['/format']],
    [{ type: 'number', multipleOf: 2 }, ['/multipleOf']],
    [{ allOf: [{ type: 'integer' }] }, ['/allOf']],
    [{ type: 'string', not: { const: 'a' } }, ['/not']],
    [{ type: 'array', items: { type: 'string' }, uniqueItems: true }, ['/uniqueItems']],
    [{ $ref: '#' }, ['/$ref']],
    [
      { $ref: '#/$defs/n', maxLength: 2, $defs: { n: { type: 'string', oneOf: [{}] } } },
      ['/maxLength', '/$defs/n/oneOf'],
    ],
    [{ type: 'object', properties: { 'a/b': { not: {} } } }, ['/properties/a~1b/not']],
    [{ type: 'object', properties: { a: false } }, ['/properties/a']],
    [{ type: 'string', nullable: true }, []],
  ])('of %j it leaves out %j', (schema, paths) => {
    expect(leftOut(schema)).toEqual(paths)
  })

  test('the remaining schema allows every value that the original allows', () => {
    fc.assert(
      fc.property(anyCase(), anyBackend, ({ schema, value }, backend) => {
        fc.pre(typeof schema === 'object' && schema !== null && validatorOf(schema)(value))
        expect(validatorOf(atOnce(plainSchema(schema as never, backend)).schema)(value)).toBe(true)
      }),
      { numRuns: runs(1000) },
    )
  })

  test('of a schema of which nothing is left out, nothing more is left out', () => {
    fc.assert(
      fc.property(anyCase(), anyBackend, ({ schema }, backend) => {
        fc.pre(typeof schema === 'object' && schema !== null)
        const read = atOnce(plainSchema(schema as never, backend))
        fc.pre(read.leftOut.length === 0)
        expect(atOnce(plainSchema(read.schema as never, backend))).toEqual(read)
      }),
      { numRuns: runs(1000) },
    )
  })
})

describe('constraints as they are sent to a backend', () => {
  const fitted = (backend: NamedBackend, constraint: Constraint): FittedConstraint =>
    atOnce(enforcedBy(backend, { hasLark: true }).fit?.(constraint) ?? expect.fail('no fit'))

  const sent = (
    backend: NamedBackend,
    jsonSchema: Record<string, unknown>,
  ): { sent: SentConstraint; relaxed: FittedConstraint['relaxed'] } => {
    const { constraint, relaxed } = fitted(backend, { jsonSchema })
    return { sent: sentTo(backend, constraint ?? expect.fail('nothing is held')), relaxed }
  }
  const even = { type: 'integer', minimum: 0, maximum: 50, multipleOf: 2 }

  test.each([
    [
      'a schema that is sent as our grammar',
      {
        jsonSchema: {
          ...{ type: 'object', required: ['name', 'n'], additionalProperties: false },
          properties: { name: { type: 'string', maxLength: 5 }, n: { type: 'integer', minimum: 0, maximum: 9 } },
        },
      },
    ],
    ['a grammar of a tool', { grammar: 'root ::= "n:" " "? [0-9]\n', syntax: 'gbnf' }],
  ] as const)('on xgrammar, the digit after an optional blank has its own rule in %s', (_, given) => {
    const ours = sentTo('xgrammar', fitted('xgrammar', given as Constraint).constraint ?? expect.fail('not held'))
    expect(ours).toMatchObject({
      kind: 'grammar',
      text: expect.stringMatching(/" "\? class-0[\s\S]*\nclass-0 ::= \[0-9\]\n/),
    })
  })

  test('xgrammar gets a structural tag, which bounds the blanks, for a schema that it holds', () => {
    const { sent: tag, relaxed } = sent('xgrammar', city)
    expect([tag.kind, relaxed]).toEqual(['structural_tag', []])
    expect(JSON.parse((tag as { text: string }).text)).toEqual({
      type: 'structural_tag',
      format: { type: 'json_schema', json_schema: city, max_whitespace_cnt: 2 },
    })
  })

  test('xgrammar gets our grammar for a pattern whose quotes it would not allow, where that is fast', () => {
    const properties = { a: { type: 'string', pattern: '^[^/]+$' } }
    expect(sent('xgrammar', { type: 'object', properties })).toMatchObject({ sent: { kind: 'grammar' }, relaxed: [] })
    const more = { ...properties, b: { type: 'string', maxLength: 100 }, c: { type: 'string', pattern: '^.{1,99}$' } }
    expect(sent('xgrammar', { type: 'object', properties: more })).toMatchObject({
      ...{ sent: { kind: 'structural_tag' }, relaxed: [] },
    })
  })

  test('xgrammar gets our grammar for a schema of which it ignores a part', () => {
    const { sent: ours, relaxed } = sent('xgrammar', even)
    expect([ours.kind, relaxed]).toEqual(['grammar', []])
    expect((ours as { text: string }).text).toMatch(/^root ::= /)
  })

  test('xgrammar gets no grammar that counts characters, and the ignored keywords are reported', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string', maxLength: 200 }, n: even },
      required: ['a', 'n'],
    }
    const { sent: tag, relaxed } = sent('xgrammar', schema)
    expect(tag.kind).toBe('structural_tag')
    expect((tag as { text: string }).text).not.toContain('multipleOf')
    expect(relaxed.map(({ path }) => path)).toEqual(['/properties/n/multipleOf'])
  })

  test.each(['date', 'time', 'date-time', 'duration', 'ipv4'])(
    'xgrammar gets our grammar for the format %s, which it holds in part by itself',
    (format) => {
      const { sent: ours, relaxed } = sent('xgrammar', { type: 'string', format })
      expect([ours.kind, relaxed]).toEqual(['grammar', []])
    },
  )

  test.each(['email', 'hostname'])(
    'xgrammar gets the format %s as its own, since it is slow with our grammar, and that is reported',
    (format) => {
      const { sent: tag, relaxed } = sent('xgrammar', { type: 'string', format })
      expect((tag as { text: string }).text).toContain(`"format":"${format}"`)
      expect(relaxed).toEqual([
        { path: '/format', message: `The engine's grammar backend enforces a part of the format '${format}'.` },
      ])
    },
  )

  test.each([{ type: 'integer' }, true])(
    'xgrammar gets our grammar for an object with other properties (%j), since it accepts an escaped name of a declared one for them',
    (additionalProperties) => {
      const schema = { type: 'object', properties: { a: { type: 'boolean' } }, required: ['a'], additionalProperties }
      const { sent: ours, relaxed } = sent('xgrammar', schema)
      expect([ours.kind, relaxed]).toEqual(['grammar', []])
      const { text } = ours as { text: string }
      const accepts = (body: string): boolean => createMatcher(text).accept(body)?.isComplete === true
      expect(['{"a":false,"b":3}', '{"a":false,"\\u0061":3}', '{"a":false,"a":3}'].map(accepts)).toEqual([
        true,
        false,
        false,
      ])
    },
  )

  test('an object with other properties beside what our grammar is slow for is sent as it is, and that is reported', () => {
    const schema = {
      ...{ type: 'object', properties: { a: { type: 'string', format: 'email' } }, required: ['a'] },
      additionalProperties: { type: 'integer' },
    }
    const { sent: tag, relaxed } = sent('xgrammar', schema)
    expect(tag.kind).toBe('structural_tag')
    expect(relaxed).toContainEqual({
      path: '/properties',
      message: "The engine's grammar backend enforces 'properties' here only for names without escapes.",
    })
  })

  test('xgrammar gets the rest of a body without lengths, which it would count for seconds a token, and that is reported', () => {
    const schema = { type: 'object', properties: { s: { type: 'string', maxLength: 200 } }, required: ['s'] }
    const { constraint: rest } =
      atOnce(constraintAfter({ jsonSchema: schema }, '{"s":"Hel', ['gbnf'])) ?? expect.fail('no rest')
    const { grammar } = rest as { grammar: string }
    expect(grammar).toMatch(/\{0,19\d\}/)
    const { constraint, relaxed } = fitted('xgrammar', rest)
    expect(relaxed.map(({ path }) => path)).toEqual([''])
    const loose = createMatcher((constraint as { grammar: string }).grammar)
    for (const more of ['lo"}', `${'lo'.repeat(500)}"}`]) expect(loose.accept(more)?.isComplete).toBe(true)
    expect(loose.accept('lo"]')).toBeUndefined()
    expect(fitted('guidance', rest).constraint).toEqual(rest)
  })

  test.each([
    ['root ::= [a-z]{0,64} "{0,200}" [{0,200}]', 'root ::= [a-z]{0,64} "{0,200}" [{0,200}]'],
    ['root ::= [a-z]{0,65} x{13}', 'root ::= [a-z]* x{12,}'],
    ['root ::= c{0,9} d{0,9}\nc ::= [a-ü]\nd ::= [0-9]', 'root ::= c* d{0,9}\nc ::= [a-ü]\nd ::= [0-9]'],
    ['root ::= x{3,200} ("a" x){5} x{2,}', 'root ::= x{3,} ("a" x){5} x{2,}'],
    ['root ::= "\\"" x{0,13} [\\]]{70}', 'root ::= "\\"" x* [\\]]{64,}'],
  ])('of %s xgrammar counts no further than %s', (gbnf, sentAs) => {
    expect(fitted('xgrammar', { grammar: gbnf, syntax: 'gbnf' }).constraint).toEqual({
      grammar: sentAs,
      syntax: 'gbnf',
    })
  })

  test('a grammar of texts that are not JSON keeps each way to write them', () => {
    const gbnf = { grammar: 'root ::= [a-z] | "\\\\u00" [67] [1-5]\n', syntax: 'gbnf' } as const
    expect(fitted('xgrammar', gbnf).constraint).toEqual(gbnf)
    const json = { ...gbnf, isJson: true }
    expect(fitted('xgrammar', json).constraint).toEqual({ ...json, grammar: 'root ::= [a-z]\n' })
  })

  test('guidance gets our grammar, with any schema', () => {
    for (const schema of [city, even]) expect(sent('guidance', schema).sent.kind).toBe('grammar')
  })

  test('any other backend gets the part of a schema that all backends hold, and the rest is reported', () => {
    expect(sent('other', { ...even, title: 'T' })).toEqual({
      sent: { kind: 'json', schema: { type: 'integer' } },
      relaxed: ['minimum', 'maximum', 'multipleOf'].map((keyword) => ({
        path: `/${keyword}`,
        message: `The engine's grammar backend does not enforce '${keyword}' here.`,
      })),
    })
  })

  test('the replacement of a constraint for a backend is sent again unchanged', () => {
    const backend = fc.constantFrom(...NAMED_BACKENDS)
    fc.assert(
      fc.property(anyCase(), backend, ({ schema }, backend) => {
        fc.pre(typeof schema === 'object' && schema !== null)
        const { constraint } = fitted(backend, { jsonSchema: schema as never })
        fc.pre(constraint !== undefined)
        expect(fitted(backend, constraint as Constraint).constraint).toEqual(constraint)
      }),
      { numRuns: runs(300) },
    )
  })

  test.each(NAMED_BACKENDS)('%s holds what its capabilities name, and no other kind', (backend) => {
    const held = enforcedBy(backend, { hasLark: true })
    const gbnf = { grammar: 'root ::= "a"', syntax: 'gbnf' } as const
    const isGrammar = backend !== 'other'
    expect(held.constraints?.includes('gbnf')).toBe(isGrammar)
    if (isGrammar) checkEnforces('it', held, gbnf)
    else expect(() => checkEnforces('it', held, gbnf)).toThrow('constraint: expected json_schema, regex')
  })

  test('a server that ignores constraints can be held to nothing', () => {
    expect(enforcedBy('none', { hasLark: true })).toEqual({ constraints: [] })
  })
})

/** A vLLM, defined by its answer to each form of a constraint: a text, or a status. */
interface Behaviour {
  readonly structural_tag: string | number
  readonly grammar: string | number
  readonly json: string | number
}

const BEHAVIOURS: Record<string, Behaviour> = {
  xgrammar: { structural_tag: '"harmony"', grammar: 500, json: '"harmony"' },
  'guidance, which refuses the tag': { structural_tag: 400, grammar: 'harmony', json: '"harmony"' },
  'guidance, which fails at the tag': { structural_tag: 500, grammar: 'harmony', json: '"harmony"' },
  outlines: { structural_tag: 500, grammar: 500, json: '"harmony"' },
  'a server that knows no constraints': { structural_tag: 'Hello there', grammar: 'Hello', json: 'Hello' },
  'a server that refuses them all': { structural_tag: 400, grammar: 400, json: 400 },
}

/** As a real one answers: no stream for a question, and one for a call. */
function fakeVllm(behaviours: readonly Behaviour[]) {
  const asked: string[] = []
  let restarts = 0
  let isDown = false
  /** How the next call ends, with which the server is restarted. */
  let crash: (() => Response) | undefined
  const fetch = (async (url: unknown, { body }: { body?: string } = {}) => {
    const path = new URL(String(url)).pathname
    if (path === '/v1/models') return Response.json({ data: [{ id: 'gpt-oss', max_model_len: 4096 }] })
    const { structured_outputs: constraint = {}, stream } = JSON.parse(body ?? '{}')
    const [form = 'plain'] = Object.keys(constraint)
    asked.push(stream === true ? `call: ${form}` : form)
    if (isDown) throw new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') })
    if (stream === true && crash !== undefined) {
      const end = crash
      crash = undefined
      restarts++
      return end()
    }
    if (stream === true) {
      const isRefused = JSON.stringify(constraint).includes('refused')
      if (isRefused) return Response.json({ error: { message: 'bad grammar', code: 400 } }, { status: 400 })
      const isEmpty = JSON.stringify(constraint).includes('empty')
      const isEnded = JSON.stringify(constraint).includes('ended')
      const choice = { index: 0, text: '', logprobs: null, stop_reason: null }
      const chunk = {
        choices: [{ ...choice, token_ids: isEmpty ? [] : isEnded ? [200002] : [1, 200002], finish_reason: 'stop' }],
      }
      return new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, {
        headers: { 'content-type': 'text/event-stream' },
      })
    }
    const behaviour = behaviours[Math.min(restarts, behaviours.length - 1)] as Behaviour
    const answer = behaviour[form as keyof Behaviour]
    if (typeof answer === 'number') return Response.json({ error: { message: 'no', code: answer } }, { status: answer })
    return Response.json({ choices: [{ text: answer, finish_reason: 'stop' }] })
  }) as typeof globalThis.fetch
  return {
    fetch,
    asked,
    restart: () => void restarts++,
    crash(how: () => Response) {
      crash = how
    },
    down(is: boolean) {
      isDown = is
    },
  }
}

const engineOf = (server: ReturnType<typeof fakeVllm>, more: object = {}) =>
  createVllmEngine({ url: 'http://vllm.invalid', checkModel: false, retries: 0, fetch: server.fetch, ...more })
const of = (name: string) => fakeVllm([BEHAVIOURS[name] as Behaviour])
const kindsOf = async (engine: ReturnType<typeof createVllmEngine>, options = {}) =>
  (await engine.capabilities?.(options))?.constraints

describe('which backend compiles on vLLM', () => {
  test.each([
    ['xgrammar', 'xgrammar', ['structural_tag']],
    ['guidance, which refuses the tag', 'guidance', ['structural_tag', 'grammar']],
    ['guidance, which fails at the tag', 'guidance', ['structural_tag', 'grammar']],
    ['outlines', 'other', ['structural_tag', 'grammar', 'json']],
    ['a server that knows no constraints', 'none', ['structural_tag']],
    ['a server that refuses them all', 'none', ['structural_tag', 'grammar', 'json']],
  ])('%s is found to be %s by asking for %j', async (name, backend, questions) => {
    const server = of(name)
    const told: string[] = []
    const engine = engineOf(server, { onBackend: (found: string) => told.push(found) })
    await engine.capabilities?.()
    expect([told, server.asked]).toEqual([[backend], questions])
  })

  test('a listener that throws, or whose promise rejects, fails no call, and its error is shown', async () => {
    const shown = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => shown.mockRestore())
    const error = new Error('full')
    const throws = (): never => {
      throw error
    }
    for (const onBackend of [throws, async () => throws()]) {
      const engine = engineOf(of('outlines'), { onBackend })
      expect(await rejectionsOf(async () => await engine.capabilities?.())).toEqual([])
    }
    expect(shown.mock.calls).toEqual([[error]])
  })

  test('the kinds that capabilities() name are those of the backend', async () => {
    expect(await kindsOf(engineOf(of('xgrammar')))).toEqual(['json_schema', 'regex', 'lark', 'gbnf'])
    expect(await kindsOf(engineOf(of('outlines')))).toEqual(['json_schema', 'regex'])
    expect(await kindsOf(engineOf(of('a server that knows no constraints')))).toEqual([])
  })

  test('a caller that constrains nothing does not make the engine ask', async () => {
    const server = of('xgrammar')
    const engine = engineOf(server)
    expect(await kindsOf(engine, { constraints: false })).toContain('json_schema')
    await readTokens(engine.generate([1], { maxTokens: 5 }))
    expect(server.asked).toEqual(['call: plain'])
  })

  test('calls that come together ask once, and later ones not again', async () => {
    const server = of('guidance, which refuses the tag')
    const engine = engineOf(server)
    await Promise.all([engine.capabilities?.(), engine.capabilities?.()])
    await readTokens(engine.generate([1], { maxTokens: 5, constraint: { jsonSchema: city } }))
    expect(server.asked).toEqual(['structural_tag', 'grammar', 'call: grammar'])
  })

  test('a backend that the host names is not asked for', async () => {
    const server = of('outlines')
    const engine = engineOf(server, { structuredOutputs: 'xgrammar' })
    await readTokens(engine.generate([1], { maxTokens: 5, constraint: { jsonSchema: city } }))
    expect(server.asked).toEqual(['call: structural_tag'])
  })

  test('the server is asked again after a lost connection, and the host is told of the change', async () => {
    const server = fakeVllm([BEHAVIOURS['xgrammar'], BEHAVIOURS['outlines']] as Behaviour[])
    const told: string[] = []
    const engine = engineOf(server, { onBackend: (found: string) => told.push(found) })
    await engine.capabilities?.()
    server.down(true)
    await expect(readTokens(engine.generate([1], { maxTokens: 5 }))).rejects.toThrow(EngineError)
    server.restart()
    server.down(false)
    await engine.capabilities?.()
    expect(told).toEqual(['xgrammar', 'other'])
  })

  test.each<[string, () => Response]>([
    [
      'its connection closed',
      () => {
        throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) })
      },
    ],
    ['it is not ready', () => Response.json({ error: { message: 'starting', code: 503 } }, { status: 503 })],
    ['its stream broke off', () => new Response('', { headers: { 'content-type': 'text/event-stream' } })],
  ])(
    'a constrained call that is made again because %s has the form of the backend that answers now',
    async (_, how) => {
      const after = ['guidance, which refuses the tag', 'xgrammar'].map((name) => BEHAVIOURS[name] as Behaviour)
      const server = fakeVllm(after)
      const told: string[] = []
      const onBackend = (found: string): unknown => told.push(found)
      const engine = engineOf(server, { onBackend, retries: 1, delay: async () => {} })
      await engine.capabilities?.()
      server.crash(how)
      await readTokens(engine.generate([1], { maxTokens: 5, constraint: { jsonSchema: city } }))
      expect(server.asked).toEqual([
        'structural_tag',
        'grammar',
        'call: grammar',
        'structural_tag',
        'call: structural_tag',
      ])
      expect(told).toEqual(['guidance', 'xgrammar'])
    },
  )

  test('a server that is too busy for a constrained call is not asked again', async () => {
    const server = of('xgrammar')
    const engine = engineOf(server, { retries: 1, delay: async () => {} })
    await engine.capabilities?.()
    server.crash(() => Response.json({ error: { message: 'busy', code: 429 } }, { status: 429 }))
    await readTokens(engine.generate([1], { maxTokens: 5, constraint: { jsonSchema: city } }))
    expect(server.asked).toEqual(['structural_tag', 'call: structural_tag', 'call: structural_tag'])
  })

  test('the server is asked again after a refused constraint, and not after a refused plain call', async () => {
    const server = of('xgrammar')
    const engine = engineOf(server)
    await engine.capabilities?.()
    const refused = { maxTokens: 5, constraint: { regex: 'refused' } }
    await expect(readTokens(engine.generate([1], refused))).rejects.toMatchObject({ code: 'invalid_prompt' })
    await engine.capabilities?.()
    expect(server.asked).toEqual(['structural_tag', 'call: regex', 'structural_tag'])
  })

  test('a server that takes no calls is an error, and is asked again', async () => {
    const server = of('xgrammar')
    const engine = engineOf(server)
    server.down(true)
    await expect(engine.capabilities?.()).rejects.toMatchObject({ isUnavailable: true })
    server.down(false)
    expect(await kindsOf(engine)).toContain('gbnf')
  })

  test('an answer that breaks off says nothing of the backend, and is an error', async () => {
    const broken = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"choices":[')),
      pull: (controller) => controller.error(new Error('reset')),
    })
    const told: string[] = []
    const engine = createVllmEngine({
      ...{ url: 'http://vllm.invalid', checkModel: false, retries: 0, contextSize: 4096 },
      onBackend: (backend) => void told.push(backend),
      fetch: async () => new Response(broken),
    })
    await expect(engine.capabilities?.()).rejects.toThrow('the connection was lost')
    expect(told).toEqual([])
  })

  test.each(['xgrammar', 'guidance', 'other'])('%s is sent nothing that is no schema', async (structuredOutputs) => {
    const server = of('xgrammar')
    const constraint = { jsonSchema: { type: 'object', required: 'city' } }
    const call = engineOf(server, { structuredOutputs }).generate([1], { maxTokens: 5, constraint })
    await expect(readTokens(call)).rejects.toMatchObject({ code: 'bad_option' })
    expect(server.asked).toEqual([])
  })

  test('a constraint of a kind that the backend does not hold fails the call, and is not sent', async () => {
    const server = of('outlines')
    const call = engineOf(server).generate([1], {
      maxTokens: 5,
      constraint: { grammar: 'root ::= "a"', syntax: 'gbnf' },
    })
    await expect(readTokens(call)).rejects.toMatchObject({ code: 'bad_option' })
    expect(server.asked).not.toContain('call: grammar')
  })

  test('a constrained call that ends without a token is an error, never an empty body', async () => {
    const call = engineOf(of('xgrammar')).generate([1], { maxTokens: 5, constraint: { regex: 'empty' } })
    await expect(readTokens(call)).rejects.toThrow('vLLM ended a constrained call without a text')
  })
})

describe('a constrained call of which nothing comes', () => {
  const called = (constraint: Constraint) =>
    readTokens(engineOf(of('xgrammar')).generate([1], { maxTokens: 5, constraint }))

  test('an end of sequence alone is an error where the body has to be JSON', async () => {
    const ended = { jsonSchema: { enum: ['ended'] } }
    await expect(called(ended)).rejects.toThrow('vLLM ended a constrained call without a text')
  })

  test('an end of sequence alone is the empty text that a regular expression may allow', async () => {
    expect((await called({ regex: '(ended)?' })).tokens).toEqual([200002])
  })
})

describe('which backend compiles on SGLang', () => {
  const engineWith = (info: Record<string, unknown>, more: object = {}) => {
    const paths: string[] = []
    const fetch = (async (url: unknown) => {
      const { pathname } = new URL(String(url))
      paths.push(pathname)
      if (pathname === '/v1/models') return Response.json({ data: [{ id: 'gpt-oss', max_model_len: 4096 }] })
      return pathname in info ? Response.json(info[pathname]) : new Response('', { status: 404 })
    }) as typeof globalThis.fetch
    const told: string[] = []
    const onBackend = (found: string): unknown => told.push(found)
    const engine = createSglangEngine({ url: 'http://sglang.invalid', checkModel: false, fetch, onBackend, ...more })
    return { engine, told, paths }
  }

  test.each([
    ['xgrammar', 'xgrammar', ['json_schema', 'regex', 'gbnf']],
    ['llguidance', 'guidance', ['json_schema', 'regex', 'gbnf']],
    ['outlines', 'other', ['json_schema', 'regex']],
    ['none', 'none', []],
    ['of the future', 'other', ['json_schema', 'regex']],
  ])('a grammar_backend %s is %s, which holds %j', async (grammar_backend, backend, kinds) => {
    const { engine, told } = engineWith({ '/server_info': { grammar_backend } })
    expect((await engine.capabilities?.())?.constraints).toEqual(kinds)
    expect(told).toEqual([backend])
  })

  test('an older server is asked by the older path', async () => {
    const { engine, told, paths } = engineWith({ '/get_server_info': { grammar_backend: 'llguidance' } })
    await engine.capabilities?.()
    expect([told, paths]).toEqual([['guidance'], ['/v1/models', '/server_info', '/get_server_info']])
  })

  test('a backend that the host names is not asked for', async () => {
    const { engine, told } = engineWith(
      { '/server_info': { grammar_backend: 'xgrammar' } },
      { structuredOutputs: 'other' },
    )
    expect((await engine.capabilities?.())?.constraints).toEqual(['json_schema', 'regex'])
    expect(told).toEqual([])
  })
})

describe('a pattern of a client on xgrammar', () => {
  const classes = (count: number): string => `^${'[ab]'.repeat(count)}$`

  test('a pattern of more than 4,000 characters is not read, and is named', () => {
    expect(leftOut({ type: 'string', pattern: classes(999) })).toEqual([])
    expect(leftOut({ type: 'string', pattern: classes(1000) })).toEqual(['/pattern'])
  })

  test('many patterns are read in slices', () => {
    const pattern = classes(900)
    const properties = Object.fromEntries(
      Array.from({ length: 50 }, (_, nth) => [`p${nth}`, { type: 'string', pattern }]),
    )
    expect([...plainSchema({ type: 'object', properties }, 'xgrammar')].length).toBeGreaterThanOrEqual(50)
  })
})
