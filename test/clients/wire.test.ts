import { createOpenResponses } from '@ai-sdk/open-responses'
import { createOpenAI } from '@ai-sdk/openai'
import { ChatOpenAI } from '@langchain/openai'
import { Agent, OpenAIResponsesModel, Runner } from '@openai/agents'
import { generateText } from 'ai'
import OpenAI from 'openai'
import OpenAI6 from 'openai-6'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { openResponses } from '../../src/dialects/index.js'
import { aiSdkOpenResponses } from './clients/ai-sdk-open-responses.js'
import { clients } from './clients.js'
import { API_KEY, type Played } from './play.js'
import { HOST_ERROR, modelOf, type Scenario, scenario, scenarios, turn } from './scenarios.js'
import { startServer, type TestServer, violationsOf } from './server.js'

const find = (name: string): Scenario => scenarios.find((one) => one.name === name) ?? expect.unreachable(name)
const toEnd = { onText: () => {}, signal: new AbortController().signal }

let server: TestServer | undefined

afterEach(() => server?.close())

/** Each client requests an answer without streaming, and returns its text. */
const collects: Readonly<Record<string, (model: string, baseURL: string) => Promise<string>>> = {
  async openai(model, baseURL) {
    const openai = new OpenAI({ baseURL, apiKey: API_KEY, maxRetries: 0 })
    return (await openai.responses.create({ model, input: 'Go on.' })).output_text
  },
  async 'openai 6'(model, baseURL) {
    const openai = new OpenAI6({ baseURL, apiKey: API_KEY, maxRetries: 0 })
    return (await openai.responses.create({ model, input: 'Go on.' })).output_text
  },
  async '@ai-sdk/openai'(model, baseURL) {
    const openai = createOpenAI({ baseURL, apiKey: API_KEY })
    return (await generateText({ model: openai.responses(model), prompt: 'Go on.', maxRetries: 0 })).text
  },
  async '@ai-sdk/open-responses'(model, baseURL) {
    const provider = createOpenResponses({ name: 'local', url: `${baseURL}/responses`, apiKey: API_KEY })
    return (await generateText({ model: provider(model), prompt: 'Go on.', maxRetries: 0 })).text
  },
  async '@openai/agents'(model, baseURL) {
    const openai = new OpenAI({ baseURL, apiKey: API_KEY, maxRetries: 0 })
    const agent = new Agent({ name: 'agent', model: new OpenAIResponsesModel(openai as never, model) })
    return String((await new Runner({ tracingDisabled: true }).run(agent, 'Go on.')).finalOutput)
  },
  async '@langchain/openai'(model, baseURL) {
    const chat = new ChatOpenAI({
      model,
      apiKey: API_KEY,
      configuration: { baseURL },
      useResponsesApi: true,
      maxRetries: 0,
    })
    return (await chat.invoke('Go on.')).text
  },
}

describe.for([
  'reasoning',
  'MCP call',
  'code interpreter',
  'web search',

  'undeclared tool',
])('an answer that is not streamed: %s', (name) => {
  test.for(Object.entries(collects))(`%s reads an answer that is not streamed: ${name}`, async ([, collect]) => {
    server = await startServer()
    const scenario = find(name)
    expect(await collect(modelOf(scenario), server.baseURL)).toBe(scenario.shows.text.join(''))
  })
})

describe('a stream that ends with [DONE]', () => {
  test.for(clients.map((client) => [client.name, client] as const))(
    '%s reads a stream that ends with [DONE]',
    async ([, client]) => {
      const plain = find('two calls')
      const scenario = client.wording?.(plain) ?? plain
      server = await startServer({ done: true, plays: [scenario] })
      expect(await client.play(scenario, server.baseURL, toEnd)).toEqual(scenario.shows)
    },
  )
})

describe("an error of the host's own code", () => {
  afterEach(() => vi.restoreAllMocks())

  test.for(clients.map((client) => [client.name, client] as const))(
    "%s reports a failure, without its details, if the host's own code throws",
    async ([, client]) => {
      const reported = vi.spyOn(console, 'error').mockImplementation(() => {})
      const plain = find('failure')
      const broken: Scenario = { ...plain, turns: plain.turns.map((turn) => ({ ...turn, end: 'breaks' })) }
      const scenario = client.wording?.(broken) ?? broken
      server = await startServer({ plays: [scenario] })
      const played = await client.play(scenario, server.baseURL, toEnd)
      expect(played.ending).toBe('failed')
      expect(JSON.stringify([played, server.exchanges])).not.toContain(HOST_ERROR)
      // The host does get the error.
      expect(reported).toHaveBeenCalledWith(new Error(HOST_ERROR))
    },
  )
})

// Hosts may insert items where OpenAI never does: clients must keep the message together.
describe("items of the host's in the middle of a message", () => {
  const items = [
    { insert: { type: 'compaction', encrypted_content: 'U2VhbGVk' } },
    { insert: { type: 'file_search_call', status: 'completed', queries: ['Oslo'], results: null } },
  ]
  const message = turn('<|channel|>final<|message|>Take an ', ...items, 'umbrella.<|return|>')

  test.for(clients.map((client) => [client.name, client] as const))(
    "%s keeps a message together that the host's items interrupt",
    async ([, client]) => {
      const shown = scenario('in the middle', [message], { text: ['Take an umbrella.'] })
      server = await startServer({ plays: [shown] })
      const played = await client.play(shown, server.baseURL, toEnd)
      expect(played).toEqual({ ...shown.shows, hosted: played.hosted })
      expect(violationsOf(server.exchanges, client.profile)).toEqual([])
    },
  )
})

test("@ai-sdk/open-responses shows no reasoning in Open Responses' own words", async () => {
  server = await startServer({ dialect: openResponses, done: true })
  const scenario = find('reasoning')
  const shown: Played = { ...scenario.shows, reasoning: '' }
  expect(await aiSdkOpenResponses.play(scenario, server.baseURL, toEnd)).toEqual(shown)
})
