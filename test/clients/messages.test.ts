import { createAnthropic } from '@ai-sdk/anthropic'
import Anthropic from '@anthropic-ai/sdk'
import { ChatAnthropic } from '@langchain/anthropic'
import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { tool as aiTool, generateText, type ModelMessage, stepCountIs, streamText } from 'ai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type ResponsesServer, serveResponses } from '../../src/endpoint/server/node.js'
import { functionTools } from '../../src/endpoint/tools/functions.js'
import type { Tool } from '../../src/endpoint/tools/tool.js'
import { loadTokenTable } from '../../src/index.js'
import { answer, call, preamble, type ScriptedEngine, scriptedEngine, think } from '../../src/testing/index.js'
import { WEATHER } from './scenarios.js'

/** The tools that the server runs. */
const searching: Tool = {
  answers: ({ type }) => type === 'web_search_call',
  serverLabels: [],
  run: async () => ({ output: 'Otters swim.', sources: [{ url: 'https://example.com/otters' }] }),
}
const docs = functionTools('docs', {
  find: {
    parameters: { type: 'object', properties: { what: { type: 'string' } } },
    run: ({ what }) => `${what} is 42`,
  },
})

let server: ResponsesServer
let engine: ScriptedEngine
let seen = 0

beforeAll(async () => {
  const tokenTable = await loadTokenTable()
  engine = scriptedEngine(
    ({ messages }) => {
      const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
      const asked = messages.findLast(({ role }) => role === 'user')?.content ?? ''
      if (asked.includes('otters')) {
        if (results.length === 0) return [think('Search.'), call('browser.search', { query: 'otters' })]
        if (results.length === 1 && !asked.includes('alone'))
          return [think('Ask.'), call('docs.find', { what: 'life' })]
        return [think('So.'), answer(results.join(' '))]
      }
      if (!asked.includes('weather')) return [think('Easy.'), answer('Take an umbrella.')]
      // With blanks, and in another order than clients write it.
      if (results.length === 0) {
        return [
          think('Oslo first.'),
          preamble('I look.'),
          call('functions.get_weather', '{"unit": "C", "city": "Oslo"}'),
        ]
      }
      if (results.length === 1) return [think('Now Rome.'), call('functions.get_weather', { city: 'Rome' })]
      return [think('17 more.'), answer(`Oslo: ${results[0]}; Rome: ${results[1]}`)]
    },
    { tokenTable },
  )
  server = await serveResponses({ engine, tokenTable, port: 0, models: ['gpt-oss'], tools: [searching, docs] })
})
beforeEach(() => {
  seen = engine.calls.length
})
afterAll(() => server.close())

const ANSWER = `Oslo: ${WEATHER['Oslo']}; Rome: ${WEATHER['Rome']}`
const QUESTION = 'How is the weather in Oslo and Rome?'
const parameters = z.object({ city: z.string(), unit: z.string().optional() })

/** Each prompt of the loop begins with the one before it, to the end of the model's output. */
function expectSameIds(): void {
  const calls = engine.calls.slice(seen)
  expect(calls).toHaveLength(3)
  for (const [at, { tokens }] of calls.slice(1).entries()) {
    const before = calls[at]?.tokens ?? new Uint32Array()
    expect(Array.from(tokens.subarray(0, before.length))).toEqual(Array.from(before))
  }
  const said = calls.at(-1)?.messages.map(({ content }) => content) ?? []
  expect(said).toEqual(
    expect.arrayContaining(['Oslo first.', '{"unit": "C", "city": "Oslo"}', 'Now Rome.', '{"city":"Rome"}']),
  )
}

describe('@anthropic-ai/sdk', () => {
  const sdk = (): Anthropic => new Anthropic({ baseURL: server.url, apiKey: 'none', maxRetries: 0 })
  const get_weather = {
    name: 'get_weather',
    description: 'The weather in a city.',
    input_schema: z.toJSONSchema(parameters) as Anthropic.Tool.InputSchema,
    parse: (input: unknown) => parameters.parse(input),
    run: async ({ city }: z.infer<typeof parameters>) => WEATHER[city] ?? '',
  }
  const asked = { model: 'gpt-oss', max_tokens: 2000, thinking: { type: 'adaptive' } } as const

  test.for([true, false])('the tool runner runs every call, streamed: %s', async (stream) => {
    const messages = [{ role: 'user' as const, content: QUESTION }]
    const runner = sdk().beta.messages.toolRunner({
      ...asked,
      messages,
      tools: [get_weather as never],
      stream,
    } as never)
    const last = (await runner.runUntilDone()) as Anthropic.Beta.BetaMessage
    expect(last.content.at(-1)).toMatchObject({ type: 'text', text: ANSWER })
    expectSameIds()
  })

  test('the accumulator of a stream gives what create gives', async () => {
    const messages = [{ role: 'user' as const, content: 'Rain?' }]
    const whole = await sdk().messages.create({ ...asked, messages })
    const events: string[] = []
    const stream = sdk().messages.stream({ ...asked, messages })
    stream.on('text', (text) => events.push(text))
    const final = await stream.finalMessage()
    expect(events.join('')).toBe('Take an umbrella.')
    const said = ({ content }: Anthropic.Message) =>
      content.map((block) => (block.type === 'thinking' ? block.thinking : block.type === 'text' ? block.text : ''))
    expect(said(final)).toEqual(['Easy.', 'Take an umbrella.'])
    expect(said(whole)).toEqual(said(final))
    expect(final.stop_reason).toBe('end_turn')
  })
})

const SERVED = 'Otters swim. life is 42'
const URL_OF_DOCS = 'https://nobody.example'

/** The next prompt has the results of the server's tools, with the ids that the model read. */
function expectShownAgain(): void {
  const calls = engine.calls.slice(seen)
  const said = calls.at(-1)?.messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : [])) ?? []
  expect(said).toEqual(['Otters swim.', 'life is 42'])
}

describe('@anthropic-ai/sdk, with tools that the server runs', () => {
  test.for([true, false])('a search and an MCP call are shown, and come back, streamed: %s', async (isStreamed) => {
    const { messages } = new Anthropic({ baseURL: server.url, apiKey: 'none', maxRetries: 0 }).beta
    const asked = {
      ...{ model: 'gpt-oss', max_tokens: 2000, thinking: { type: 'adaptive' as const } },
      mcp_servers: [{ type: 'url' as const, name: 'docs', url: URL_OF_DOCS }],
      tools: [
        { type: 'web_search_20250305' as const, name: 'web_search' as const },
        { type: 'mcp_toolset' as const, mcp_server_name: 'docs' },
      ],
    }
    const first = { role: 'user' as const, content: 'Do otters swim?' }
    const ask = async (said: Anthropic.Beta.BetaMessageParam[]) =>
      isStreamed
        ? messages.stream({ ...asked, messages: said }).finalMessage()
        : messages.create({ ...asked, messages: said })
    const { content, stop_reason } = await ask([first])
    expect(content.map(({ type }) => type).filter((type) => type !== 'thinking')).toEqual([
      ...['server_tool_use', 'web_search_tool_result', 'mcp_tool_use', 'mcp_tool_result', 'text'],
    ])
    expect(content).toContainEqual(expect.objectContaining({ name: 'web_search', input: { query: 'otters' } }))
    expect(content).toContainEqual(expect.objectContaining({ name: 'find', input: { what: 'life' } }))
    expect([content.at(-1), stop_reason]).toMatchObject([{ type: 'text', text: SERVED }, 'end_turn'])
    await ask([
      first,
      { role: 'assistant', content: content as never },
      { role: 'user', content: 'Do otters swim well?' },
    ])
    expectShownAgain()
  })
})

describe('@ai-sdk/anthropic', () => {
  const model = () => createAnthropic({ baseURL: `${server.url}/v1`, apiKey: 'none' })('gpt-oss')
  const get_weather = aiTool({
    description: 'The weather in a city.',
    inputSchema: parameters,
    execute: async ({ city }) => WEATHER[city] ?? '',
  })
  const asked = () => ({
    model: model(),
    prompt: QUESTION,
    tools: { get_weather },
    stopWhen: stepCountIs(5),
    maxRetries: 0,
    providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 2000 } } },
  })

  test('a tool loop is run to its answer, with the reasoning of every step', async () => {
    const { text, steps } = await generateText(asked())
    expect(text).toBe(ANSWER)
    expect(steps.map(({ reasoningText }) => reasoningText)).toEqual(['Oslo first.', 'Now Rome.', '17 more.'])
    expectSameIds()
  })

  test('a streamed tool loop is run to its answer', async () => {
    const { textStream, steps } = streamText(asked())
    let text = ''
    for await (const part of textStream) text += part
    expect(text).toBe(`I look.${ANSWER}`)
    expect((await steps).map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'tool-calls', 'stop'])
    expectSameIds()
  })
})

describe('@ai-sdk/anthropic, with tools that the server runs', () => {
  const anthropic = () => createAnthropic({ baseURL: `${server.url}/v1`, apiKey: 'none' })
  const asked = () => ({
    model: anthropic()('gpt-oss'),
    tools: { web_search: anthropic().tools.webSearch_20250305({ maxUses: 5 }) },
    maxRetries: 0,
    maxOutputTokens: 2000,
    providerOptions: {
      anthropic: {
        thinking: { type: 'enabled' as const, budgetTokens: 1000 },
        mcpServers: [{ type: 'url' as const, name: 'docs', url: URL_OF_DOCS }],
      },
    },
  })

  test.for([true, false])('a search and an MCP call are shown, and come back, streamed: %s', async (isStreamed) => {
    const first = { role: 'user' as const, content: 'Do otters swim?' }
    const ask = async (messages: ModelMessage[]) => {
      const result = isStreamed ? streamText({ ...asked(), messages }) : await generateText({ ...asked(), messages })
      return { text: await result.text, content: await result.content, said: (await result.response).messages }
    }
    const { text, content, said } = await ask([first])
    expect(text).toBe(SERVED)
    const calls = content.flatMap((part) => (part.type === 'tool-call' ? [[part.toolName, part.input]] : []))
    expect(calls).toEqual([
      ['web_search', { query: 'otters' }],
      ['find', { what: 'life' }],
    ])
    await ask([first, ...said, { role: 'user', content: 'Do otters swim well?' }])
    expectShownAgain()
  })
})

describe('ChatAnthropic of LangChain', () => {
  const chat = (): ChatAnthropic =>
    new ChatAnthropic({
      model: 'gpt-oss',
      apiKey: 'none',
      anthropicApiUrl: server.url,
      maxRetries: 0,
      maxTokens: 4000,
      thinking: { type: 'enabled', budget_tokens: 2000 },
    })
  const get_weather = tool(async ({ city }) => WEATHER[city] ?? '', {
    name: 'get_weather',
    description: 'The weather in a city.',
    schema: parameters,
  })

  test.for([true, false])('a tool loop is run to its answer, streamed: %s', async (isStreamed) => {
    const model = chat().bindTools([get_weather])
    const messages: unknown[] = [new HumanMessage(QUESTION)]
    let text = ''
    for (let round = 0; round < 5; round++) {
      let said: Awaited<ReturnType<typeof model.invoke>> | undefined
      if (isStreamed) {
        for await (const chunk of await model.stream(messages as never))
          said = said === undefined ? chunk : said.concat(chunk)
      } else said = await model.invoke(messages as never)
      if (said === undefined) break
      messages.push(said)
      text = said.text
      if ((said.tool_calls ?? []).length === 0) break
      for (const { id, args } of said.tool_calls ?? []) {
        messages.push(new ToolMessage({ tool_call_id: id ?? '', content: WEATHER[String(args['city'])] ?? '' }))
      }
    }
    expect(text).toBe(ANSWER)
    expectSameIds()
  })

  test.for([true, false])('a search of the server is shown, and comes back, streamed: %s', async (isStreamed) => {
    const model = chat().bindTools([{ type: 'web_search_20250305', name: 'web_search' }])
    const ask = async (messages: unknown[]) => {
      if (!isStreamed) return model.invoke(messages as never)
      let said: Awaited<ReturnType<typeof model.invoke>> | undefined
      for await (const chunk of await model.stream(messages as never))
        said = said === undefined ? chunk : said.concat(chunk)
      return said as Awaited<ReturnType<typeof model.invoke>>
    }
    const first = new HumanMessage('Do otters swim alone?')
    const said = await ask([first])
    expect(JSON.stringify(said.content)).toContain('https://example.com/otters')
    await ask([first, said, new HumanMessage('Do otters swim well alone?')])
    const shown = engine.calls.at(-1)?.messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : []))
    expect(shown?.[0]).toBe('Otters swim.')
  })
})
