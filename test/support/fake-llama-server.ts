import { STOP_TOKENS } from '../../src/core/harmony/stop-tokens.js'
import { FIRST_SPECIAL, markerText } from '../../src/core/harmony/vocabulary.js'
import type { TokenTable } from '../../src/core/tokens/token-table.js'
import type { Writes } from './fake-llama.js'
import { frame } from './scripted-server.js'

interface CompletionBody {
  readonly prompt: readonly number[]
  readonly n_predict: number
  readonly stop?: readonly string[]
  readonly n_probs?: number
  readonly return_progress?: boolean
}

/**
 * The `fetch` of a llama-server without a model: what `process_token` of its server-context.cpp (v0.5.0) does with each
 * token, as a real one was seen to. It reports its progress in the prompt with an empty token, sends nothing while the
 * text ends inside a character, and no text while a stop word may have begun. It ignores grammars: the model must
 * follow them itself.
 */
export function fakeLlamaServer(writes: Writes, table: TokenTable): typeof globalThis.fetch {
  return async (url, init) => {
    const path = new URL(String(url)).pathname
    if (path === '/v1/models') return Response.json({ data: [] })
    if (path === '/props') return Response.json({ default_generation_settings: { n_ctx: 8192 } })
    const body = JSON.parse(String(init?.body)) as CompletionBody
    return new Response(eventsOf(body, writes, table).map(frame).join(''))
  }
}

function eventsOf(
  { prompt, n_predict, stop = [], n_probs = 0, return_progress }: CompletionBody,
  writes: Writes,
  table: TokenTable,
): unknown[] {
  const events: unknown[] = return_progress ? [0, prompt.length].map((processed) => progressOf(prompt, processed)) : []
  const all = [...prompt]
  let unsent: number[] = []
  for (let count = 1; ; count++) {
    const id = writes(all)
    all.push(id)
    const isEnd = STOP_TOKENS.includes(id)
    // Without --special, ends of sequence have no text.
    unsent.push(...(id < FIRST_SPECIAL ? table.bytes(id) : isEnd ? [] : utf8.encode(markerText(id))))
    const text = toText(unsent)
    const isUnfinished = endsInside(unsent)
    const word = isUnfinished ? undefined : stop.find((one) => text.includes(one))
    if (!isUnfinished) {
      const isBegun = word === undefined && !isEnd && stop.some((one) => beginsAtEnd(one, text))
      const content = isBegun ? '' : word === undefined ? text : text.slice(0, text.indexOf(word))
      if (!isBegun) unsent = []
      const scores = n_probs > 0 ? { completion_probabilities: [{ id, logprob: LOGPROB }] } : {}
      events.push({ ...event(prompt, count), tokens: [id], content, stop: false, ...scores })
    }
    const why = word !== undefined ? 'word' : isEnd ? 'eos' : count === n_predict ? 'limit' : undefined
    if (why !== undefined) {
      return [...events, { ...event(prompt, count), tokens: [], content: '', stop: true, stop_type: why }]
    }
  }
}

const event = ({ length }: readonly number[], count: number) => ({ tokens_predicted: count, tokens_evaluated: length })

function progressOf(prompt: readonly number[], processed: number) {
  const prompt_progress = { total: prompt.length, cache: 0, processed, time_ms: 0 }
  return { ...event(prompt, 0), tokens: [0], content: '', stop: false, id_slot: -1, prompt_progress }
}

/** The log-probability of every token. */
export const LOGPROB = -0.5

const utf8 = new TextEncoder()
const toText = (bytes: readonly number[]): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes))

/** Whether the text ends inside a character, as llama-server looks at it: its last bytes. */
export function endsInside(bytes: readonly number[]): boolean {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes.at(-back) ?? 0
    if (byte >> 6 === 2) continue
    return (byte >= 0xf0 && back < 4) || (byte >= 0xe0 && back < 3) || (byte >= 0xc0 && back < 2)
  }
  return false
}

function beginsAtEnd(word: string, text: string): boolean {
  return Array.from(word, (_, length) => word.slice(0, length)).some((part) => part !== '' && text.endsWith(part))
}
