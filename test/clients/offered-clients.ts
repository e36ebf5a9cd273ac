import { createOpenAI } from '@ai-sdk/openai'
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

/** What a client made of two questions. */
export interface Outcome {
  /** The two answers, as its user reads them. */
  readonly answers: readonly [string, string]
  /** The calls that it was given to run, by name. */
  readonly ran: readonly string[]
}

export interface OfferedClient {
  readonly name: string
  readonly api: 'Responses' | 'Chat Completions'
  ask(baseURL: string, questions: readonly [string, string]): Promise<Outcome>
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
/** What the client's own function gives. */
export const WEATHER = 'rain'

const openaiOf = (baseURL: string): OpenAI => new OpenAI({ baseURL, apiKey: API_KEY, maxRetries: 0 })

/** Runs what the client is told to run, as its application would: a name that it does not have is an error. */
function runner(): { readonly ran: string[]; run(name: string): string } {
  const ran: string[] = []
  return {
    ran,
    run(name) {
      ran.push(name)
      if (name !== NAME) throw new Error(`there is no function ${name}`)
      return WEATHER
    },
  }
}

const responses = (store: boolean): OfferedClient => ({
  name: store ? 'openai' : 'openai, `store: false`',
  api: 'Responses',
  async ask(baseURL, questions) {
    const client = openaiOf(baseURL)
    const { ran, run } = runner()
    const answers: string[] = []
    const tools = [
      { type: 'function' as const, name: NAME, description: DESCRIPTION, parameters: PARAMETERS, strict: true },
    ]
    let kept: OpenAI.Responses.ResponseInputItem[] = []
    let previous: string | undefined
    for (const question of questions) {
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
        if (calls.length === 0) {
          answers.push(response.output_text)
          break
        }
        input = calls.map(({ call_id, name }) => ({ type: 'function_call_output', call_id, output: run(name) }))
      }
    }
    return { answers: answers as [string, string], ran }
  },
})

const CHAT_TOOL = { name: NAME, description: DESCRIPTION, parameters: PARAMETERS } as const

const chat: OfferedClient = {
  name: 'openai',
  api: 'Chat Completions',
  async ask(baseURL, questions) {
    const client = openaiOf(baseURL)
    const { ran, run } = runner()
    const answers: string[] = []
    const messages: OpenAI.ChatCompletionMessageParam[] = []
    for (const question of questions) {
      messages.push({ role: 'user', content: question })
      for (;;) {
        const tools = [{ type: 'function' as const, function: CHAT_TOOL as never }]
        const stream = client.chat.completions.stream({ model: MODEL, messages, tools })
        const { message } = (await stream.finalChatCompletion()).choices[0] as OpenAI.ChatCompletion.Choice
        messages.push(message)
        const calls = (message.tool_calls ?? []).filter((each) => each.type === 'function')
        if (calls.length === 0) {
          answers.push(message.content ?? '')
          break
        }
        for (const { id, function: called } of calls)
          messages.push({ role: 'tool', tool_call_id: id, content: run(called.name) })
      }
    }
    return { answers: answers as [string, string], ran }
  },
}

const runTools: OfferedClient = {
  name: 'openai, `runTools`',
  api: 'Chat Completions',
  async ask(baseURL, questions) {
    const client = openaiOf(baseURL)
    const { ran, run } = runner()
    const answers: string[] = []
    let messages: OpenAI.ChatCompletionMessageParam[] = []
    for (const question of questions) {
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
      answers.push((await helper.finalContent()) ?? '')
      messages = helper.messages as OpenAI.ChatCompletionMessageParam[]
    }
    return { answers: answers as [string, string], ran }
  },
}

const agents = (api: OfferedClient['api']): OfferedClient => ({
  name: '@openai/agents',
  api,
  async ask(baseURL, questions) {
    const { ran, run } = runner()
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
    const answers: string[] = []
    let history: AgentInputItem[] = []
    for (const question of questions) {
      const result = await new Runner({ tracingDisabled: true }).run(agent, [
        ...history,
        { role: 'user', content: question },
      ])
      answers.push(String(result.finalOutput))
      history = result.history
    }
    return { answers: answers as [string, string], ran }
  },
})

const aiSdk = (api: OfferedClient['api']): OfferedClient => ({
  name: '@ai-sdk/openai',
  api,
  async ask(baseURL, questions) {
    const { ran, run } = runner()
    const provider = createOpenAI({ baseURL, apiKey: API_KEY })
    const model: LanguageModel = api === 'Responses' ? provider.responses(MODEL) : provider.chat(MODEL)
    const tools = {
      [NAME]: aiTool({
        description: DESCRIPTION,
        inputSchema: jsonSchema(PARAMETERS as never),
        execute: () => run(NAME),
      }),
    }
    const answers: string[] = []
    const messages: ModelMessage[] = []
    for (const question of questions) {
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
      answers.push(result.text)
      messages.push(...result.response.messages)
    }
    return { answers: answers as [string, string], ran }
  },
})

const langchain = (api: OfferedClient['api']): OfferedClient => ({
  name: '@langchain/openai',
  api,
  async ask(baseURL, questions) {
    const { ran, run } = runner()
    const own = langchainTool(() => run(NAME), { name: NAME, description: DESCRIPTION, schema: PARAMETERS as never })
    const model = new ChatOpenAI({
      ...{ model: MODEL, apiKey: API_KEY, configuration: { baseURL }, maxRetries: 0 },
      useResponsesApi: api === 'Responses',
    }).bindTools([own])
    const answers: string[] = []
    const messages: BaseMessage[] = []
    for (const question of questions) {
      messages.push(new HumanMessage(question))
      for (;;) {
        const answered = await model.invoke(messages)
        messages.push(answered)
        const calls = answered.tool_calls ?? []
        if (calls.length === 0) {
          answers.push(answered.text)
          break
        }
        for (const each of calls) {
          if (each.name !== NAME) run(each.name)
          messages.push(await own.invoke(each))
        }
      }
    }
    return { answers: answers as [string, string], ran }
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
]
