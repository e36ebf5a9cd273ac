import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ResponseRequest } from '../../../src/core/responses/request.js'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import { functionTools } from '../../../src/endpoint/tools/functions.js'
import { answer, call, scriptedEngine, think } from '../../../src/testing/index.js'
import { countWork, type WorkCounter } from '../../support/count-work.js'

const tokenTable = await loadTokenTable()
const dice = functionTools('dice', { roll: { parameters: { type: 'object' }, run: () => 'six' } })
const f = { type: 'function', name: 'f', parameters: { type: 'object' }, strict: true } as const

let counter: WorkCounter<typeof import('../../../src/endpoint/respond/index.js')>
beforeAll(async () => {
  counter = await countWork('endpoint/respond/index.ts')
})
afterAll(() => counter.stop())

const REQUESTS: readonly [string, ResponseRequest][] = [
  ['that demands a call', { tools: [dice.declaration, f], tool_choice: { type: 'mcp', server_label: 'dice' } }],
  ['with a stop string and a strict function', { tools: [dice.declaration, f], stop: '!!' }],
  ['whose reasoning is sealed', { tools: [dice.declaration], include: ['reasoning.encrypted_content'], store: false }],
]

test.each(REQUESTS)(
  'a response %s resolves its policy once, and its tools once for its prompts and once for its events',
  async (_, request) => {
    const script = [[think('Roll it.'), call('dice.roll', {})], answer('six')]
    const options = { engine: scriptedEngine(script, { tokenTable }), tokenTable, tools: [dice] }
    const seal = (text: string): string => text
    const types: string[] = []
    const counts = await counter.calls(['resolvePolicy', 'toolsInSlices', 'declareTools', 'toolChoiceOf'], async () => {
      const sealed = { ...options, sealReasoning: seal, sealForm: seal }
      const batches = counter.module.respond({ ...request, input: 'Roll.' }, sealed)
      for await (const batch of batches) types.push(...batch.map(({ type }) => type))
    })
    expect(types).toContain('response.mcp_call.completed')
    expect(types.at(-1)).toBe('response.completed')
    expect(counts).toEqual({ resolvePolicy: 1, toolsInSlices: 1, declareTools: 2, toolChoiceOf: 1 })
  },
)

test('the tools of a listed server are copied equally often, however many steps follow', async () => {
  /** The number of values that a response of so many calls copies whose server lists so many tools. */
  async function copies(listed: number, calls: number): Promise<number> {
    const names = Array.from({ length: listed }, (_, at) => `roll${at}`)
    const table = names.map((name) => [name, { parameters: { type: 'object' }, run: () => 'six' }])
    const many = functionTools('dice', Object.fromEntries(table))
    const turns = Array.from({ length: calls }, () => [think('Roll it.'), call('dice.roll0', {})])
    const engine = scriptedEngine([...turns, answer('six')], { tokenTable })
    const { copyOf = 0 } = await counter.calls(['copyOf'], async () => {
      const options = { engine, tokenTable, tools: [many] }
      for await (const _ of counter.module.respond({ input: 'Roll.', tools: [many.declaration] }, options));
    })
    return copyOf
  }

  const perTool = async (calls: number) => ((await copies(21, calls)) - (await copies(1, calls))) / 20
  const once = await perTool(1)
  expect(once).toBeGreaterThan(0)
  expect(await perTool(5)).toBe(once)
})
