import Anthropic from '@anthropic-ai/sdk'
import { ChatAnthropic } from '@langchain/anthropic'
import { ChatOpenAI } from '@langchain/openai'
import { Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, webSearchTool } from '@openai/agents'
import OpenAI from 'openai'
import { API_KEY } from './play.js'
import { QUESTION } from './searching.js'

/* Clients that let the server search the web, each whole and streamed. */

export interface SearchingClient {
  readonly name: string
  readonly api: 'Responses' | 'Chat Completions' | 'Messages'
  /** Whether the server has to offer the search: the client does not declare it. */
  readonly isOffered?: true
  /** Asks the question. Resolves to the text, and to all that the client gives its application. */
  ask(baseURL: string, isStreamed: boolean): Promise<{ readonly text: string; readonly given: unknown }>
}

const MODEL = 'gpt-oss'
const openaiOf = (baseURL: string): OpenAI => new OpenAI({ baseURL, apiKey: API_KEY, maxRetries: 0 })
const messages = [{ role: 'user' as const, content: QUESTION }]

const responses: SearchingClient = {
  name: 'openai',
  api: 'Responses',
  async ask(baseURL, isStreamed) {
    const { responses } = openaiOf(baseURL)
    const asked = { model: MODEL, input: QUESTION, tools: [{ type: 'web_search' as const }] }
    const given = isStreamed ? await responses.stream(asked).finalResponse() : await responses.create(asked)
    return { text: given.output_text, given: given.output }
  },
}

const chat: SearchingClient = {
  name: 'openai, `web_search_options`',
  api: 'Chat Completions',
  async ask(baseURL, isStreamed) {
    const { completions } = openaiOf(baseURL).chat
    const asked = { model: MODEL, messages, web_search_options: {} }
    const { choices } = isStreamed
      ? await completions.stream(asked).finalChatCompletion()
      : await completions.create(asked)
    return { text: choices[0]?.message.content ?? '', given: choices }
  },
}

const agents = (api: SearchingClient['api']): SearchingClient => ({
  name: '@openai/agents',
  api,
  ...(api !== 'Responses' && { isOffered: true }),
  async ask(baseURL, isStreamed) {
    const openai = openaiOf(baseURL) as never
    const ofResponses = api === 'Responses'
    const model = ofResponses ? new OpenAIResponsesModel(openai, MODEL) : new OpenAIChatCompletionsModel(openai, MODEL)
    const agent = new Agent({ name: 'agent', model, tools: ofResponses ? [webSearchTool()] : [] })
    const runner = new Runner({ tracingDisabled: true })
    if (!isStreamed) {
      const { finalOutput, newItems } = await runner.run(agent, QUESTION)
      return { text: String(finalOutput), given: newItems }
    }
    const run = await runner.run(agent, QUESTION, { stream: true })
    await run.completed
    return { text: String(run.finalOutput), given: run.newItems }
  },
})

const langchain = (api: SearchingClient['api']): SearchingClient => ({
  name: api === 'Messages' ? '@langchain/anthropic' : '@langchain/openai',
  api,
  ...(api === 'Chat Completions' && { isOffered: true }),
  async ask(baseURL, isStreamed) {
    const asked = { model: MODEL, apiKey: API_KEY, maxRetries: 0 }
    const ofOpenai = (): ChatOpenAI =>
      new ChatOpenAI({ ...asked, configuration: { baseURL }, useResponsesApi: api === 'Responses' })
    const models = {
      Responses: () => ofOpenai().bindTools([{ type: 'web_search' }]),
      'Chat Completions': ofOpenai,
      Messages: () =>
        new ChatAnthropic({ ...asked, anthropicApiUrl: baseURL.replace(/\/v1$/, '') }).bindTools([SEARCH]),
    }
    const model = models[api]()
    if (!isStreamed) {
      const { text, content, additional_kwargs } = await model.invoke(QUESTION)
      return { text, given: [content, additional_kwargs] }
    }
    let whole: Awaited<ReturnType<typeof model.invoke>> | undefined
    for await (const chunk of await model.stream(QUESTION))
      whole = whole === undefined ? chunk : (whole as typeof chunk).concat(chunk)
    return { text: whole?.text ?? '', given: [whole?.content, whole?.additional_kwargs] }
  },
})

const SEARCH = { type: 'web_search_20250305' as const, name: 'web_search' as const }

const anthropic: SearchingClient = {
  name: '@anthropic-ai/sdk',
  api: 'Messages',
  async ask(baseURL, isStreamed) {
    const sdk = new Anthropic({ baseURL: baseURL.replace(/\/v1$/, ''), apiKey: API_KEY, maxRetries: 0 })
    const asked = { model: MODEL, max_tokens: 2_000, messages, tools: [SEARCH] }
    const { content } = isStreamed ? await sdk.messages.stream(asked).finalMessage() : await sdk.messages.create(asked)
    return { text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''), given: content }
  },
}

/** A program that is no package of this registry: its request, as its public sources make it. */
const openWebui: SearchingClient = {
  name: "Open WebUI's request",
  api: 'Chat Completions',
  isOffered: true,
  async ask(baseURL, isStreamed) {
    const response = await fetch(`${baseURL}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${API_KEY}` },
      body: JSON.stringify({ stream: isStreamed, model: MODEL, messages }),
    })
    const text = await response.text()
    const lines = text.split('\n').flatMap((line) => (/^data: \{/.test(line) ? [JSON.parse(line.slice(6))] : []))
    const parts = isStreamed ? lines.map(({ choices }) => choices[0]?.delta) : [JSON.parse(text).choices[0].message]
    return { text: parts.map((part) => part?.content ?? '').join(''), given: parts }
  },
}

export const searchingClients: readonly SearchingClient[] = [
  ...[responses, agents('Responses'), langchain('Responses')],
  ...[chat, agents('Chat Completions'), langchain('Chat Completions'), openWebui],
  ...[anthropic, langchain('Messages')],
]
