import { describe, expect, test } from 'vitest'
import { constraintKind } from '../../src/engines/contract/constraint.js'
import type { Constraint, ConstraintKind, TokenEngine } from '../../src/engines/contract/index.js'

const EXAMPLES: Record<ConstraintKind, Constraint> = {
  json_schema: { jsonSchema: { type: 'object', properties: {}, required: [], additionalProperties: false } },
  regex: { regex: '[a-z]{1,8}' },
  lark: { grammar: 'start: "yes" | "no"', syntax: 'lark' },
  gbnf: { grammar: 'root ::= "yes" | "no"', syntax: 'gbnf' },
}

/** A constraint of a kind that every engine of the kind can hold. */
export function exampleOf(kind: ConstraintKind): Constraint {
  return EXAMPLES[kind]
}

/** Laws of how every engine treats a constraint before a call begins. Its `capabilities` are not queried. */
export function constraintLaws(
  name: string,
  create: () => TokenEngine | Promise<TokenEngine>,
  constraints: readonly ConstraintKind[] = [],
): void {
  const generate = async (options: object): Promise<unknown> => {
    const engine = await create()
    try {
      engine.generate([200006, 173781], options)
      return undefined
    } catch (error) {
      return error
    }
  }

  describe(`${name}: a constraint`, () => {
    test(`${name}: every kind that capabilities() name is held, and no other`, async () => {
      const engine = await create()
      const { constraints: named = [] } = (await engine.capabilities?.().catch(() => undefined)) ?? { constraints }
      expect(named).toEqual(constraints)
    })

    test(`${name}: a schema that JSON cannot express is refused`, async () => {
      const jsonSchema: Record<string, unknown> = { type: 'object' }
      jsonSchema['properties'] = { self: jsonSchema }
      expect(await generate({ constraint: { jsonSchema } })).toMatchObject({ code: 'bad_option' })
    })

    test.each(Object.values(EXAMPLES))(`${name}: %j is refused by the call itself, or held`, async (constraint) => {
      const kind = constraintKind(constraint)
      const error = await generate({ constraint })
      if (constraints.includes(kind)) return expect(error).toBeUndefined()
      expect(error).toMatchObject({ name: 'HarmonyResponsesError', code: 'bad_option' })
      expect((error as Error).message).toMatch(/^constraint: expected .+ \(.+\), got "/)
      expect((error as Error).message).toContain(`got "${kind}"`)
    })

    test.each([
      [null, 'constraint: expected an object'],
      ['{}', 'constraint: expected an object'],
      [{}, 'constraint: expected an object with jsonSchema, regex, or grammar and syntax'],
      [{ jsonSchema: {}, regex: 'a' }, 'constraint: expected an object with jsonSchema, regex, or grammar and syntax'],
      [{ jsonSchema: [] }, 'constraint.jsonSchema: expected a JSON Schema'],
      [{ jsonSchema: true }, 'constraint.jsonSchema: expected a JSON Schema'],
      [{ regex: /a/ }, 'constraint.regex: expected a string'],
      [{ grammar: 'root ::= "a"' }, 'constraint.syntax: expected lark or gbnf'],
      [{ grammar: 1, syntax: 'gbnf' }, 'constraint.grammar: expected a string'],
    ])(`${name}: %j is refused as it is by every engine`, async (constraint, words) => {
      const error = await generate({ constraint })
      expect(error).toMatchObject({ name: 'HarmonyResponsesError', code: 'bad_option' })
      expect((error as Error).message).toContain(words)
    })

    test.each([
      ['00', 'trace: expected an object'],
      [{}, 'trace.traceparent: expected a traceparent'],
      [{ traceparent: '00-1-2-01\r\nx-role: admin' }, 'trace.traceparent: expected a traceparent'],
      [{ traceparent: 'a', tracestate: 'a=b\nx: y' }, 'trace.tracestate: expected a tracestate'],
      [{ traceparent: 'a', tracestate: 1 }, 'trace.tracestate: expected a tracestate'],
    ])(`${name}: the trace %j is refused`, async (trace, words) => {
      expect(await generate({ trace })).toMatchObject({ code: 'bad_option', message: expect.stringContaining(words) })
    })
  })
}
