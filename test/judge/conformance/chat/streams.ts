import { checkEvents, type StreamChunk } from '../../../../src/judge/conformance/index.js'

/** A chunk that damages may change. */
// biome-ignore lint/suspicious/noExplicitAny: damages reach into any field of what was received.
export type Draft = any

/** Damages a stream in place, or returns another. */
// biome-ignore lint/suspicious/noConfusingVoidType: a damage in place is an assignment, and has nothing to return.
export type Damage = (chunks: Draft[]) => Draft[] | void

const NAMED = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 7, model: 'gpt-oss' }
const USAGE = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }

const chunk = (delta: object, finish_reason: string | null = null): object => ({
  ...NAMED,
  choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  usage: null,
})
const counts = { ...NAMED, choices: [], usage: USAGE }
const begin = chunk({ role: 'assistant', content: null, refusal: null })

const callBegins = (index: number, id: string): object =>
  chunk({ tool_calls: [{ index, id, type: 'function', function: { name: 'f', arguments: '' } }] })
const callSays = (index: number, text: string): object =>
  chunk({ tool_calls: [{ index, function: { arguments: text } }] })

const customBegins = chunk({
  tool_calls: [{ index: 0, id: 'call_1', type: 'custom', custom: { name: 'c', input: '' } }],
})
const customSays = chunk({ tool_calls: [{ index: 0, custom: { input: 'not {JSON' } }] })

export type BaseName = 'text' | 'call' | 'calls' | 'custom' | 'old' | 'cut' | 'failed'

/** Good streams, written as OpenAI's documentation says. */
export const BASES: Readonly<Record<BaseName, readonly object[]>> = {
  text: [begin, chunk({ content: 'Hi' }), chunk({ content: '!' }), chunk({}, 'stop'), counts],
  call: [begin, callBegins(0, 'call_1'), callSays(0, '{"a"'), callSays(0, ':1}'), chunk({}, 'tool_calls'), counts],
  calls: [
    begin,
    callBegins(0, 'call_1'),
    callSays(0, '{}'),
    callBegins(1, 'call_2'),
    callSays(1, '{}'),
    chunk({}, 'tool_calls'),
    counts,
  ],
  custom: [begin, customBegins, customSays, chunk({}, 'tool_calls'), counts],
  old: [
    begin,
    chunk({ function_call: { name: 'f', arguments: '' } }),
    chunk({ function_call: { arguments: '{}' } }),
    chunk({}, 'function_call'),
    counts,
  ],
  cut: [begin, callBegins(0, 'call_1'), callSays(0, '{"a"'), chunk({}, 'length'), counts],
  failed: [
    begin,
    chunk({ content: 'Hi' }),
    { error: { message: 'no', type: 'server_error', param: null, code: null } },
  ],
}

/** What a damaged stream is reported with: `position rule`. */
export function reported(base: BaseName, damage?: Damage): string[] {
  const draft = structuredClone(BASES[base]) as unknown as Draft[]
  const chunks = (damage?.(draft) as Draft[] | undefined) ?? draft
  return checkEvents(chunks as StreamChunk[], { profile: 'chat' }).map(({ position, rule }) => `${position} ${rule}`)
}
