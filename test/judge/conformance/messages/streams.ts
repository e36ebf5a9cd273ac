import { checkEvents, type StreamEvent } from '../../../../src/judge/conformance/index.js'

/** An event that damages may change. */
// biome-ignore lint/suspicious/noExplicitAny: damages reach into any field of what was received.
export type Draft = any

/** Damages a stream in place, or returns another. */
// biome-ignore lint/suspicious/noConfusingVoidType: a damage in place is an assignment, and has nothing to return.
export type Damage = (events: Draft[]) => Draft[] | void

const usage = { input_tokens: 3, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }

const start = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'gpt-oss',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  },
}
const begins = (index: number, content_block: object): object => ({ type: 'content_block_start', index, content_block })
const says = (index: number, delta: object): object => ({ type: 'content_block_delta', index, delta })
const stops = (index: number): object => ({ type: 'content_block_stop', index })
const ends = (stop_reason: string, stop_sequence: string | null = null): object[] => [
  { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage: { ...usage, output_tokens: 9 } },
  { type: 'message_stop' },
]
const text = (index: number, ...pieces: string[]): object[] => [
  begins(index, { type: 'text', text: '', citations: null }),
  ...pieces.map((piece) => says(index, { type: 'text_delta', text: piece })),
  stops(index),
]
const cites = (index: number, url: string): object =>
  says(index, {
    type: 'citations_delta',
    citation: { type: 'web_search_result_location', url, title: 'Oslo', cited_text: '', encrypted_index: '' },
  })
const thinking = (index: number): object[] => [
  begins(index, { type: 'thinking', thinking: '', signature: '' }),
  says(index, { type: 'thinking_delta', thinking: 'Hm.' }),
  says(index, { type: 'signature_delta', signature: 'c2ln' }),
  stops(index),
]
const call = (index: number, id: string, ...pieces: string[]): object[] => [
  begins(index, { type: 'tool_use', id, name: 'get_weather', input: {} }),
  ...pieces.map((partial_json) => says(index, { type: 'input_json_delta', partial_json })),
  stops(index),
]

export type BaseName = 'text' | 'thought' | 'call' | 'calls' | 'cited' | 'cut' | 'stopped' | 'failed'

/** Good streams, written as Anthropic's documentation says. */
export const BASES: Readonly<Record<BaseName, readonly object[]>> = {
  text: [start, { type: 'ping' }, ...text(0, 'Hi', '!'), ...ends('end_turn')],
  thought: [start, ...thinking(0), ...text(1, 'Hi'), ...ends('end_turn')],
  call: [start, ...call(0, 'toolu_1', '{"city"', ':"Oslo"}'), ...ends('tool_use')],
  calls: [start, ...text(0, 'Let me see.'), ...call(1, 'toolu_1', '{}'), ...call(2, 'toolu_2'), ...ends('tool_use')],
  cited: [
    start,
    begins(0, { type: 'text', text: '', citations: [] }),
    says(0, { type: 'text_delta', text: 'It rains.' }),
    cites(0, 'https://a.example'),
    cites(0, 'https://b.example'),
    stops(0),
    ...ends('end_turn'),
  ],
  cut: [start, ...text(0, 'Hi'), ...ends('max_tokens')],
  stopped: [start, ...text(0, 'Hi'), ...ends('stop_sequence', 'END')],
  failed: [
    start,
    begins(0, { type: 'text', text: '', citations: null }),
    says(0, { type: 'text_delta', text: 'Hi' }),
    { type: 'error', error: { type: 'api_error', message: 'no' } },
  ],
}

/** A call for the client, and one that the server ran, with its result. */
export const MIXED: readonly object[] = [
  start,
  ...call(0, 'toolu_1', '{"city":"Oslo"}'),
  begins(1, { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }),
  says(1, { type: 'input_json_delta', partial_json: '{"query":"Oslo"}' }),
  stops(1),
  begins(2, { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }),
  stops(2),
  ...ends('tool_use'),
]

/** An answer behind blocks that only Anthropic's own tools and its beta bring. */
export const OTHER_BLOCKS: readonly object[] = [
  start,
  begins(0, { type: 'compaction', content: null, encrypted_content: null }),
  says(0, { type: 'compaction_delta', content: 'They said hello.', encrypted_content: 'c2ln' }),
  stops(0),
  begins(1, { type: 'container_upload', file_id: 'file_1' }),
  stops(1),
  begins(2, { type: 'mcp_tool_listing', mcp_server_name: 'github', tools: [{ name: 'search' }] }),
  stops(2),
  begins(3, { type: 'fallback', from: { model: 'one' }, to: { model: 'other' }, trigger: { type: 'refusal' } }),
  stops(3),
  ...text(4, 'Hi'),
  ...ends('end_turn'),
]

/** What a damaged stream is reported with: `position rule`. */
export function reported(base: BaseName, damage?: Damage): string[] {
  const draft = structuredClone(BASES[base]) as unknown as Draft[]
  const events = (damage?.(draft) as Draft[] | undefined) ?? draft
  return checkEvents(events as StreamEvent[], { profile: 'messages' }).map(
    ({ position, rule }) => `${position} ${rule}`,
  )
}
