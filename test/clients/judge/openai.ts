import OpenAI, { APIError } from 'openai'
import type { Ending } from '../../../src/judge/conformance/clients/client.js'
import { API_KEY } from '../play.js'
import type { Outcome, Replayer } from './replay.js'

/** A client of the SDK whose every request is answered with a body. */
export function answeredWith(...bodies: readonly string[]): OpenAI {
  let at = 0
  return new OpenAI({
    baseURL: 'http://server.invalid/v1',
    apiKey: API_KEY,
    maxRetries: 0,
    logLevel: 'off',
    fetch: async () => new Response(bodies[at++] ?? '', { headers: { 'content-type': 'text/event-stream' } }),
  })
}

interface Part {
  readonly type?: unknown
  readonly text?: unknown
  readonly annotations?: unknown
}

interface Item {
  readonly type: unknown
  readonly status?: unknown
  readonly name?: unknown
  readonly namespace?: unknown
  readonly arguments?: unknown
  readonly input?: unknown
  readonly content?: unknown
  readonly summary?: unknown
}

/** `responses.stream()`: text as its delta events show it, the rest as `finalResponse()` has it. */
export const openaiReplayer: Replayer = {
  client: 'openai',
  async replay(body) {
    const shown = { text: '', raw: '', summary: '', hasReasoning: false }
    const seen = { streamed: '', reasoning: '', calls: [], citations: [] } satisfies Partial<Outcome>
    try {
      const stream = answeredWith(body).responses.stream({ model: 'model', input: 'Hello' })
      for await (const event of stream) {
        if (event.type === 'response.output_text.delta') shown.text += event.delta
        if (event.type === 'response.reasoning_text.delta') shown.raw += event.delta
        if (event.type === 'response.reasoning_summary_text.delta') shown.summary += event.delta
        if (/^response\.reasoning_(summary_)?text\./.test(event.type)) shown.hasReasoning = true
      }
      const response = await stream.finalResponse()
      const output = response.output as unknown as Item[]
      const [raw, summary] = [
        output.flatMap(({ type, content }) => (type === 'reasoning' ? textsOf(content) : [])).join(''),
        output.flatMap(({ type, summary }) => (type === 'reasoning' ? textsOf(summary) : [])).join(''),
      ]
      const whole = output
        .flatMap(({ type, content, summary }) =>
          type === 'reasoning' ? [...textsOf(content), ...textsOf(summary)] : [],
        )
        .join('')
      const isSame = !shown.hasReasoning || (raw === shown.raw && summary === shown.summary)
      return {
        streamed: shown.text,
        final: `${response.output_text as unknown}`,
        reasoning: isSame ? whole : `${shown.raw}${shown.summary}\n${whole}`,
        calls: output.flatMap(callOf),
        citations: output.flatMap(({ type, content }) => (type === 'message' ? citationsOf(content) : [])),
        ending: endingOf(response.status),
        ...(typeof response.error?.message === 'string' ? { error: response.error.message } : {}),
      }
    } catch (error) {
      // An error that the server sends is an API error; input that the SDK refuses is an error of its own.
      const ending: Ending = error instanceof APIError ? 'failed' : 'threw'
      const reasoning = ending === 'failed' ? `${shown.raw}${shown.summary}` : ''
      return { ...seen, streamed: shown.text, reasoning, ending, error: messageOf(error) }
    }
  },
}

export function messageOf(error: unknown): string {
  if (error instanceof APIError) {
    const { message } = Object(error.error) as { message?: unknown }
    return typeof message === 'string' ? message : ''
  }
  return error instanceof Error ? error.message : String(error)
}

export const endingOf = (status: unknown): Ending =>
  status === 'completed' || status === 'incomplete' || status === 'failed' || status === 'cancelled' ? status : 'open'

const partsOf = (parts: unknown): Part[] => (Array.isArray(parts) ? parts.filter((part) => part) : [])

const textsOf = (parts: unknown): string[] =>
  partsOf(parts).flatMap(({ text }) => (typeof text === 'string' ? [text] : []))

function citationsOf(parts: unknown): string[] {
  return partsOf(parts)
    .filter(({ type }) => type === 'output_text')
    .flatMap(({ annotations }) => (Array.isArray(annotations) ? annotations : []))
    .flatMap((annotation) => {
      const source = annotation?.url ?? annotation?.file_id
      return typeof source === 'string' && source !== '' ? [source] : []
    })
}

function callOf({ type, status, name, namespace, arguments: given, input }: Item): Outcome['calls'][number][] {
  if ((type !== 'function_call' && type !== 'custom_tool_call') || status === 'incomplete') return []
  const called = typeof namespace === 'string' ? `${namespace}.${name}` : `${name}`
  return [{ name: called, arguments: parsed(`${type === 'function_call' ? given : input}`) }]
}

/** Arguments as parsed JSON, or the text if they are invalid JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
