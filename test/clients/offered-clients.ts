import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import Anthropic from '@anthropic-ai/sdk'
import { ChatAnthropic } from '@langchain/anthropic'
import { type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { tool as langchainTool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import {
  Agent,
  type AgentInputItem,
  tool as agentsTool,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  Runner,
} from '@openai/agents'
import { tool as aiTool, generateText, isStepCount, jsonSchema, type LanguageModel, type ModelMessage } from 'ai'
import OpenAI from 'openai'
import { API_KEY } from './play.js'

/* Clients with one function of their own, in front of a server that offers more: each asks two questions. */

/** A client's results for two questions. */
export interface Outcome {
  /** The two answers, as its user reads them. */
  readonly answers: readonly [string, string]
  /** The names of the calls that it ran. */
  readonly ran: readonly string[]
}

/** Asks a question in a conversation that goes on. Resolves to the answer. */
type Ask = (question: string) => Promise<string>
/** Runs a function of the client's own. */
type Run = (name: string) => string

export interface OfferedClient {
  readonly name: string
  readonly api: 'Responses' | 'Chat Completions' | 'Messages'
  /** Begins a conversation. */
  begin(baseURL: string, run: Run): Ask
}

const MODEL = 'gpt-oss'
const NAME = 'get_weather'
const DESCRIPTION = 'The weather of a city.'
const PARAMETERS = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
} as const
/** The result of the client's own function. */
export const WEATHER = 'rain'

const openaiOf = (baseURL: string): OpenAI => new OpenAI({ baseURL, apiKey: API_KEY, maxRetries: 0 })

/** Plays a client, and runs its calls as an application would: an unknown name is an error. */
export async function askTwice(
  client: OfferedClient,
  baseURL: string,
  [first, second]: readonly [string, string],
): Promise<Outcome> {
  const ran: string[] = []
  const ask = client.begin(baseURL, (name) => {
    ran.push(name)
    if (name !== NAME) throw new Error(`there is no function ${name}`)
    return WEATHER
  })
  return { answers: [await ask(first), await ask(second)], ran }
}

const responses = (store: boolean): OfferedClient => ({
  name: store ? 'openai' : 'openai, `store: false`',
  api: 'Responses',
  begin(baseURL, run) {
    const client = openaiOf(baseURL)
    const tools = [
      { type: 'function' as const, name: NAME, description: DESCRIPTION, parameters: PARAMETERS, strict: true },
    ]
    let kept: OpenAI.Responses.ResponseInputItem[] = []
    let previous: string | undefined
    return async (question) => {
      let input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: question }]
      for (;;) {
        kept = [...kept, ...input]
        const include: OpenAI.Responses.ResponseIncludable[] = ['reasoning.encrypted_content']
        const stream = client.responses.stream({
          ...{ model: MODEL, tools, store },
          ...(store
            ? { input, ...(previous !== undefined && { previous_response_id: previous }) }
            : { input: kept, include }),
        })
        const response = await stream.finalResponse()
        previous = response.id
        kept = [...kept, ...(response.output as OpenAI.Responses.ResponseInputItem[])]
        const calls = response.output.filter((item) => item.type === 'function_call')
        if (calls.length === 0) return response.output_text
        input = calls.map(({ call_id, name }) => ({ type: 'function_call_output', call_id, output: run(name) }))
      }
    }
  },
})

const CHAT_TOOL = { name: NAME, description: DESCRIPTION, parameters: PARAMETERS } as const

const chat: OfferedClient = {
  name: 'openai',
  api: 'Chat Completions',
  begin(baseURL, run) {
    const client = openaiOf(baseURL)
    const messages: OpenAI.ChatCompletionMessageParam[] = []
    return async (question) => {
      messages.push({ role: 'user', content: question })
      for (;;) {
        const tools = [{ type: 'function' as const, function: CHAT_TOOL as never }]
        const stream = client.chat.completions.stream({ model: MODEL, messages, tools })
        const { message } = (await stream.finalChatCompletion()).choices[0] as OpenAI.ChatCompletion.Choice
        messages.push(message)
        const calls = (message.tool_calls ?? []).filter((each) => each.type === 'function')
        if (calls.length === 0) return message.content ?? ''
        for (const { id, function: called } of calls)
          messages.push({ role: 'tool', tool_call_id: id, content: run(called.name) })
      }
    }
  },
}

const runTools: OfferedClient = {
  name: 'openai, `runTools`',
  api: 'Chat Completions',
  begin(baseURL, run) {
    const client = openaiOf(baseURL)
    let messages: OpenAI.ChatCompletionMessageParam[] = []
    return async (question) => {
      const helper = client.chat.completions.runTools({
        model: MODEL,
        messages: [...messages, { role: 'user', content: question }],
        tools: [
          {
            type: 'function',
            function: { ...CHAT_TOOL, parameters: PARAMETERS as never, parse: JSON.parse, function: () => run(NAME) },
          },
        ],
      })
      const content = await helper.finalContent()
      messages = helper.messages as OpenAI.ChatCompletionMessageParam[]
      return content ?? ''
    }
  },
}

const agents = (api: OfferedClient['api']): OfferedClient => ({
  name: '@openai/agents',
  api,
  begin(baseURL, run) {
    const openai = openaiOf(baseURL) as never
    const agent = new Agent({
      name: 'agent',
      model:
        api === 'Responses' ? new OpenAIResponsesModel(openai, MODEL) : new OpenAIChatCompletionsModel(openai, MODEL),
      tools: [
        agentsTool({
          name: NAME,
          description: DESCRIPTION,
          parameters: PARAMETERS as never,
          execute: async () => run(NAME),
        }),
      ],
    })
    let history: AgentInputItem[] = []
    return async (question) => {
      const result = await new Runner({ tracingDisabled: true }).run(agent, [
        ...history,
        { role: 'user', content: question },
      ])
      history = result.history
      return String(result.finalOutput)
    }
  },
})

const aiSdk = (api: OfferedClient['api']): OfferedClient => ({
  name: api === 'Messages' ? '@ai-sdk/anthropic' : '@ai-sdk/openai',
  api,
  begin(baseURL, run) {
    const provider = createOpenAI({ baseURL, apiKey: API_KEY })
    const theirs = createAnthropic({ baseURL, apiKey: API_KEY })
    const models = {
      Responses: () => provider.responses(MODEL),
      'Chat Completions': () => provider.chat(MODEL),
      Messages: () => theirs(MODEL),
    }
    const model: LanguageModel = models[api]()
    const tools = {
      [NAME]: aiTool({
        description: DESCRIPTION,
        inputSchema: jsonSchema(PARAMETERS as never),
        execute: () => run(NAME),
      }),
    }
    const messages: ModelMessage[] = []
    return async (question) => {
      messages.push({ role: 'user', content: question })
      const store = { openai: { store: false } }
      const result = await generateText({
        model,
        messages,
        tools,
        stopWhen: isStepCount(5),
        maxRetries: 0,
        providerOptions: store,
      })
      messages.push(...result.responseMessages)
      return result.text
    }
  },
})

const langchain = (api: OfferedClient['api']): OfferedClient => ({
  name: api === 'Messages' ? '@langchain/anthropic' : '@langchain/openai',
  api,
  begin(baseURL, run) {
    const own = langchainTool(() => run(NAME), { name: NAME, description: DESCRIPTION, schema: PARAMETERS as never })
    const asked = { model: MODEL, apiKey: API_KEY, maxRetries: 0 }
    const model =
      api === 'Messages'
        ? new ChatAnthropic({ ...asked, anthropicApiUrl: baseURL.replace(/\/v1$/, '') }).bindTools([own])
        : new ChatOpenAI({
            ...{ ...asked, configuration: { baseURL } },
            useResponsesApi: api === 'Responses',
          }).bindTools([own])
    const messages: BaseMessage[] = []
    return async (question) => {
      messages.push(new HumanMessage(question))
      for (;;) {
        const answered = await model.invoke(messages)
        messages.push(answered)
        const calls = answered.tool_calls ?? []
        if (calls.length === 0) return answered.text
        for (const each of calls) {
          if (each.name !== NAME) run(each.name)
          messages.push(await own.invoke(each))
        }
      }
    }
  },
})

const messages = (thinking: boolean): OfferedClient => ({
  name: thinking ? '@anthropic-ai/sdk' : '@anthropic-ai/sdk, without `thinking`',
  api: 'Messages',
  begin(baseURL, run) {
    const client = new Anthropic({ baseURL: baseURL.replace(/\/v1$/, ''), apiKey: API_KEY, maxRetries: 0 })
    const said: Anthropic.MessageParam[] = []
    return async (question) => {
      said.push({ role: 'user', content: question })
      for (;;) {
        const stream = client.messages.stream({
          ...{ model: MODEL, max_tokens: 4000, messages: said },
          ...(thinking && { thinking: { type: 'adaptive' as const } }),
          tools: [{ name: NAME, description: DESCRIPTION, input_schema: PARAMETERS as never }],
        })
        const { content } = await stream.finalMessage()
        said.push({ role: 'assistant', content })
        const results = content.flatMap((block) =>
          block.type === 'tool_use'
            ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: run(block.name) }]
            : [],
        )
        if (results.length === 0) return content.flatMap((block) => (block.type === 'text' ? block.text : [])).join('')
        said.push({ role: 'user', content: results })
      }
    }
  },
})

export const offeredClients: readonly OfferedClient[] = [
  responses(true),
  responses(false),
  agents('Responses'),
  aiSdk('Responses'),
  langchain('Responses'),
  chat,
  runTools,
  agents('Chat Completions'),
  aiSdk('Chat Completions'),
  langchain('Chat Completions'),
  messages(true),
  messages(false),
  aiSdk('Messages'),
  langchain('Messages'),
]
