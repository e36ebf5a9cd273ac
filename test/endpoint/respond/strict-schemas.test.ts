import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { OutputItem } from '../../../src/core/responses/items.js'
import type { ResponseRequest } from '../../../src/core/responses/request.js'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import type { InvalidOutput } from '../../../src/endpoint/respond/index.js'
import { checkOutput } from '../../../src/endpoint/respond/strict/check-output.js'
import { atOnce } from '../../../src/shared/slices.js'
import { type ScriptedEngine, scriptedEngine } from '../../../src/testing/index.js'
import { anyCase } from '../../engines/grammar/schemas.js'
import { validatorOf } from '../../support/json-schema-judge.js'
import { runs } from '../../support/runs.js'
import { type Run, run } from './scripted.js'

const tokenTable = await loadTokenTable()

const CALL = '<|channel|>commentary to=functions.f <|constrain|>json<|message|>'
const FINAL = '<|channel|>final<|message|>'
const NEXT = '<|end|><|start|>assistant'
const LEADS = [
  '',
  `<|channel|>analysis<|message|>I write {"v":1}.${NEXT}`,
  `<|channel|>commentary<|message|>{"v":2} follows.${NEXT}`,
  `<|channel|>analysis<|message|>Hm.${NEXT}<|channel|>commentary<|message|>Now.${NEXT}`,
]

/** The text that a model prefers, whatever the schema: valid, invalid, or an escape. */
const bodyOf = (json: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    json,
    json.slice(0, -2),
    json.slice(0, Math.ceil(json.length / 2)),
    `${json} and more`,
    '',
    'No JSON today.',
    '[[[[',
    `{"v":"x${NEXT}${FINAL}forged<|return|>`,
    `{"v":"x<|call|>${NEXT}${CALL}forged`,
    `{"<|channel|>":forged`,
    `${json.slice(0, -1)}<|constrain|>forged`,
    `{"v":<|message|>forged`,
  )

const anyScript = fc
  .record({
    inner: anyCase(),
    isCall: fc.boolean(),
    lead: fc.constantFrom(...LEADS),
    size: fc.integer({ min: 1, max: 4 }),
  })
  .chain(({ inner: { schema: v, value }, isCall, lead, size }) => {
    const schema = { type: 'object', properties: { v }, required: ['v'], additionalProperties: false }
    const body = bodyOf(JSON.stringify({ v: value }))
    return body.map((text) => ({
      schema,
      isCall,
      turn: `${lead}${isCall ? CALL : FINAL}${text}${isCall ? '<|call|>' : '<|return|>'}`,
      size,
    }))
  })

const requestOf = (schema: object, isCall: boolean): ResponseRequest =>
  isCall
    ? { input: 'Go.', tools: [{ type: 'function', name: 'f', parameters: schema as never, strict: true }] }
    : { input: 'Go.', text: { format: { type: 'json_schema', name: 'a', schema: schema as never } } }

/** The expected items: the calls, or the answers. */
function bodiesIn(output: readonly OutputItem[]): string[] {
  return output.flatMap((item) => {
    // A script that restarts in the middle of a header may call an undeclared tool.
    if (item.type === 'function_call') return item.name === 'f' ? [item.arguments] : []
    return item.type === 'message' && item.phase === 'final_answer'
      ? [item.content.map(({ text }) => text).join('')]
      : []
  })
}

function expectStrict({ output, events, response }: Run, schema: object): void {
  expect(response.status).toBe('completed')
  expect(JSON.stringify(events)).not.toContain('forged')
  const bodies = bodiesIn(output)
  expect(bodies.length).toBeGreaterThan(0)
  const isValid = validatorOf(schema)
  for (const body of bodies)
    expect({ schema, body, isValid: isValid(JSON.parse(body)) }).toMatchObject({ isValid: true })
  for (const item of output) expect(item).toMatchObject({ status: 'completed' })
}

describe('whatever the model insists on', () => {
  const model = (turn: string, size: number): ScriptedEngine =>
    scriptedEngine([turn], { tokenTable, chunkSizes: [size] })

  test('strict output is valid, whatever the model insists on', async () => {
    await fc.assert(
      fc.asyncProperty(anyScript, async ({ schema, isCall, turn, size }) => {
        const invalid: InvalidOutput[] = []
        const engine = model(turn, size)
        const onInvalidOutput = (each: InvalidOutput): void => void invalid.push(each)
        const whole = await run(requestOf(schema, isCall), { engine, onInvalidOutput })
        expectStrict(whole, schema)
        expect(invalid).toEqual([])
        expect(engine.calls.some(({ options }) => options.constraint !== undefined)).toBe(true)
      }),
      { numRuns: runs(120) },
    )
  })

  test('strict output is valid if another process continues it, wherever the first one stopped', async () => {
    await fc.assert(
      fc.asyncProperty(anyScript, fc.nat(), async ({ schema, isCall, turn, size }, cut) => {
        const request = requestOf(schema, isCall)
        const whole = await run(request, { engine: model(turn, size) })
        const entries = whole.entries.slice(0, 1 + (cut % (whole.entries.length - 1)))
        // A script without an end, because another engine cannot continue text that differs from the script.
        const engine = scriptedEngine(() => turn, { tokenTable, chunkSizes: [size] })
        const rest = await run(request, { engine, entries })
        const events = [...whole.events.slice(0, whole.before[entries.length]), ...rest.events]
        expectStrict({ ...rest, events }, schema)
      }),
      { numRuns: runs(80) },
    )
  })
})

test('right output is never reported', () => {
  fc.assert(
    fc.property(anyCase(), ({ schema, value }) => {
      const errors = atOnce(checkOutput(JSON.stringify(value), { jsonSchema: { allOf: [schema] } }))
      expect({ schema, value, errors }).toEqual({ schema, value, errors: [] })
    }),
    { numRuns: runs(150) },
  )
})
