import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../../src/core/diagnostics/diagnostic.js'
import type { HarmonyMessage } from '../../../src/core/harmony/events.js'
import type { Metric } from '../../../src/endpoint/server/index.js'
import type { Tool } from '../../../src/endpoint/tools/tool.js'
import { answer, call, think } from '../../../src/testing/index.js'
import { endpoint } from './endpoint.js'

const SEARCH = { type: 'web_search' } as const
const IMAGES = { type: 'image_generation' } as const
const FUNCTION = { type: 'function', name: 'f', parameters: { type: 'object', properties: {} } } as const
const searching: Tool = { answers: ({ type }) => type === 'web_search_call', run: async () => ({ output: 'found' }) }
const hi = () => [think('Hm.'), answer('Hi.')]
const systemOf = (messages: readonly HarmonyMessage[] | undefined): string => messages?.[0]?.content ?? ''

describe('hosted tools that nothing runs', () => {
  test('hosted tools that nothing runs are not taught, are echoed, and are one diagnostic and one fact of the metric', async () => {
    const diagnostics: Diagnostic[] = []
    const metrics: Metric[] = []
    const { create, engine } = endpoint(hi, {
      response: { onDiagnostic: (each) => void diagnostics.push(each) },
      onMetric: (metric) => void metrics.push(metric),
    })
    const { status, body } = await create({ input: 'Hi', tools: [SEARCH, IMAGES, FUNCTION] })
    expect([status, body.status]).toEqual([200, 'completed'])
    expect(body.tools.map(({ type }: { type: string }) => type)).toEqual(['web_search', 'image_generation', 'function'])
    expect(systemOf(engine.calls[0]?.messages)).not.toContain('browser')
    expect(diagnostics).toEqual([{ code: 'unhosted_tool', subject: 'web_search, image_generation', index: -1 }])
    expect(metrics.find(({ type }) => type === 'response_ended')).toMatchObject({
      unhostedTools: ['web_search', 'image_generation'],
    })
  })

  test('hosted tools that a tool of the app answers are taught', async () => {
    const metrics: Metric[] = []
    const options = { tools: [searching], onMetric: (metric: Metric) => void metrics.push(metric) }
    const { create, engine } = endpoint(hi, options)
    await create({ input: 'Hi', tools: [SEARCH] })
    expect(systemOf(engine.calls[0]?.messages)).toContain('## browser')
    expect(metrics.find(({ type }) => type === 'response_ended')).toMatchObject({ unhostedTools: [] })
  })

  test('the tokens of hosted tools that nothing runs are not counted, for /responses/input_tokens as for the response', async () => {
    const counts: number[] = []
    for (const tools of [[], [searching]]) {
      const { create, ask } = endpoint(hi, { tools })
      const request = { model: 'gpt-oss', input: 'Hi', tools: [SEARCH, FUNCTION] }
      const { body } = await ask('POST', '/responses/input_tokens', request)
      expect((await create(request)).body.usage.input_tokens).toBe(body.input_tokens)
      counts.push(body.input_tokens)
    }
    expect((counts[1] as number) - (counts[0] as number)).toBeGreaterThan(300)
  })

  test('a call of a hosted tool that nothing runs fails, and the model continues', async () => {
    const { create } = endpoint([call('browser.search', { query: 'x' }), answer('I cannot search.')])
    const { body } = await create({ input: 'Hi', tools: [SEARCH] })
    expect(body.output).toMatchObject([{ type: 'web_search_call', status: 'failed' }, { type: 'message' }])
  })

  test.each([
    ['a named tool', { type: 'web_search' }, [SEARCH, FUNCTION]],
    ['a tool that gpt-oss does not have', { type: 'image_generation' }, [IMAGES, FUNCTION]],
    ['a call of any tool', 'required', [SEARCH, IMAGES]],
    ['a call of an allowed tool', { type: 'allowed_tools', mode: 'required', tools: [SEARCH] }, [SEARCH, FUNCTION]],
  ])('%s that is demanded is 400, and no model is asked', async (_, tool_choice, tools) => {
    const { create, engine, ask, errors } = endpoint(hi)
    const refused = { status: 400, body: { error: { param: 'tool_choice', code: 'unsupported_value' } } }
    expect(await create({ input: 'Hi', tools, tool_choice })).toMatchObject(refused)
    expect(await create({ input: 'Hi', tools, tool_choice, stream: true })).toMatchObject(refused)
    const counting = { model: 'gpt-oss', input: 'Hi', tools, tool_choice }
    expect(await ask('POST', '/responses/input_tokens', counting)).toMatchObject(refused)
    expect([engine.calls, errors]).toEqual([[], []])
  })

  test('Chat Completions is refused what nothing runs, and answers where it is not demanded', async () => {
    const { ask, engine } = endpoint(hi)
    const request = { model: 'gpt-oss', messages: [{ role: 'user', content: 'Hi' }], web_search_options: {} }
    expect(await ask('POST', '/chat/completions', { ...request, tool_choice: 'required' })).toMatchObject({
      status: 400,
      body: { error: { param: 'tool_choice', code: 'unsupported_value' } },
    })
    expect((await ask('POST', '/chat/completions', request)).status).toBe(200)
    expect(systemOf(engine.calls[0]?.messages)).not.toContain('browser')
  })

  test('a conversation that declares hosted tools is compacted without a diagnostic', async () => {
    const diagnostics: Diagnostic[] = []
    const response = { onDiagnostic: (each: Diagnostic) => void diagnostics.push(each) }
    const { create, ask } = endpoint(() => answer('A summary.'), { response })
    const input = [{ role: 'user', content: 'Hi' }, { type: 'compaction_trigger' }]
    const { body } = await create({ input, tools: [SEARCH], tool_choice: 'auto' })
    expect(body.output).toMatchObject([{ type: 'compaction' }])
    const compacted = await ask('POST', '/responses/compact', { model: 'gpt-oss', input: 'Hi', tools: [SEARCH] })
    expect(compacted.body.output).toMatchObject([{ type: 'compaction' }])
    expect(diagnostics).toEqual([])
  })
})
