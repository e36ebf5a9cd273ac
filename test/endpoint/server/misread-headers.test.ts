import { describe, expect, test } from 'vitest'
import { createRun, terminal } from '../../core/translate/run.js'
import { APIS, type Asked, said } from './said.js'

const WAYS = APIS.flatMap((api) => [[api, 'whole'] as const, [api, 'streamed'] as const])
const ROME = '{"city":"Rome"}'
const WEATHER: Asked = { functions: [{ name: 'get_weather' }, { name: 'shell' }] }
const CAPITAL: Asked['schema'] = {
  type: 'object',
  properties: { capital: { type: 'string' } },
  required: ['capital'],
  additionalProperties: false,
}

describe.each(WAYS)('%s, %s:', (api, way) => {
  const saidBy = (turns: string | readonly string[], asked: Asked = {}) =>
    said(api, typeof turns === 'string' ? [turns] : turns, asked, way === 'streamed')

  describe('a call whose tool stands after <|constrain|>', () => {
    test.each([
      '<|channel|>final <|constrain|>functions.get_weather',
      '<|channel|>final<|constrain|>get_weather',
      '<|channel|>commentary <|constrain|>functions.get_weather json',
      '<|channel|>analysis <|constrain|>functions.get_weather <|constrain|>json',
      '<|channel|>commentary to=<|constrain|>functions.get_weather',
    ])('is a call: %s', async (header) => {
      expect(await saidBy(`${header}<|message|>${ROME}<|call|>`, WEATHER)).toEqual({
        ...{ reasoning: '', text: '', calls: [`get_weather ${ROME}`] },
      })
    })

    test('is no answer where a format is demanded', async () => {
      const turn = `<|channel|>final <|constrain|>functions.get_weather<|message|>${ROME}<|call|>`
      expect(await saidBy(turn, { ...WEATHER, schema: CAPITAL })).toEqual({
        ...{ reasoning: '', text: '', calls: [`get_weather ${ROME}`] },
      })
    })

    test('is an answer if the request declares no such tool', async () => {
      const turn = `<|channel|>final <|constrain|>functions.rm<|message|>${ROME}<|return|>`
      expect(await saidBy(turn, WEATHER)).toEqual({ reasoning: '', text: ROME, calls: [] })
    })
  })

  describe('a role that is glued to what follows', () => {
    const THOUGHT = '<|channel|>analysis<|message|>Hm.<|end|>'

    test('is no part of an answer in JSON', async () => {
      const { text } = await saidBy(`${THOUGHT}<|start|>assistant{"capital":"Paris"}<|return|>`)
      expect(JSON.parse(text)).toEqual({ capital: 'Paris' })
    })

    test('is no part of the JSON that a format demands', async () => {
      const turns = [`${THOUGHT}<|start|>assistantfinal<|message|>{"capital":"Paris"}<|return|>`]
      const { text } = await saidBy(turns, { schema: CAPITAL as object })
      expect(JSON.parse(text)).toEqual({ capital: 'Paris' })
    })

    test('does not hide that the channel after it is analysis', async () => {
      const turn = `${THOUGHT}<|start|>assistantanalysis<|message|>We look.<|end|><|start|>assistantfinal<|message|>Rome.<|return|>`
      const { text, reasoning } = await saidBy(turn)
      expect([text, reasoning.replaceAll('\n', '')]).toEqual(['Rome.', 'Hm.We look.'])
    })

    test('is no part of an answer in words', async () => {
      const { text } = await saidBy(`${THOUGHT}<|start|>assistantThe capital is Paris.<|return|>`)
      expect(text).toBe('The capital is Paris.')
    })
  })
})

const TOOLS = [
  { type: 'custom', name: 'note' },
  { type: 'mcp', server_label: 'docs', require_approval: 'never' },
  { type: 'namespace', name: 'crm', tools: [{ type: 'function', name: 'find', parameters: {} }] },
  { type: 'code_interpreter', container: { type: 'auto' } },
  { type: 'apply_patch' },
] as const

test.each([
  ['functions.note', 'custom_tool_call'],
  ['note', 'custom_tool_call'],
  ['docs.search', 'mcp_call'],
  ['mcp.docs.search', 'mcp_call'],
  ['crm.find', 'function_call'],
  ['functions.crm.find', 'function_call'],
  ['find', 'function_call'],
  ['python', 'code_interpreter_call'],
  ['apply_patch', 'apply_patch_call'],
])('the tool %s after <|constrain|> is called', (name, type) => {
  const run = createRun({ request: { tools: TOOLS as never } })
  run.push(`<|channel|>final <|constrain|>${name}<|message|>{}<|call|>`)
  expect(terminal(run.end('stop')).output.map((item) => item.type)).toEqual([type])
})

test('a built-in tool after <|constrain|> that the request does not declare is not called', () => {
  const run = createRun()
  run.push('<|channel|>final <|constrain|>python<|message|>print(1)<|return|>')
  expect(terminal(run.end()).output.map(({ type }) => type)).toEqual(['message'])
})
