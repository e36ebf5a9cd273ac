import { describe, expect, test } from 'vitest'
import { checkEvents, readStreams } from '../../../../src/judge/conformance/index.js'
import {
  all,
  BASES,
  type BaseName,
  type Damage,
  type Draft,
  damaged,
  drop,
  give,
  inside,
  itemsIn,
  nth,
  renumbered,
  type Stream,
  saidOf,
  set,
  setItem,
  setResponse,
  twice,
} from './streams.js'

/** Rules that look right but are wrong: OpenAI's real streams break them. */
interface Naive {
  readonly base: BaseName
  readonly damage: Damage | readonly Damage[]
  /** Whether the stream indeed breaks the naive rule. */
  readonly is: (events: Stream) => boolean
}

const EMPTY = { type: 'output_text', text: '', annotations: [], logprobs: [] }

const usageOf = (events: Stream): { [field: string]: unknown } =>
  inside(inside(nth(events, 'completed'), 'response'), 'usage')

/** A stream with an item more, at its end. */
const withItem =
  (added: { [field: string]: unknown }, done: { [field: string]: unknown }, between: readonly Draft[]): Damage =>
  (events) => {
    const output = inside(nth(events, 'completed'), 'response')['output'] as unknown[]
    const output_index = output.length
    output.push(structuredClone(done))
    return renumbered([
      ...events.slice(0, -1),
      { type: 'response.output_item.added', output_index, item: added },
      ...between.map((event) => ({ ...event, output_index })),
      { type: 'response.output_item.done', output_index, item: done },
      ...events.slice(-1),
    ])
  }

const statusOf = (events: Stream, type: string, moment: 'added' | 'done'): unknown =>
  itemsIn(events, type, [moment])[0]?.['status']

const PATCH = {
  type: 'apply_patch_call',
  id: 'apc_1',
  call_id: 'call_9',
  operation: { type: 'update_file', path: 'a.txt', diff: '' },
}
const IMAGE = { type: 'image_generation_call', id: 'ig_1', status: 'in_progress' }

const NAIVE: Readonly<Record<string, Naive>> = {
  'a call that is done is completed': {
    base: 'call',
    damage: setItem('function_call', { status: 'in_progress' }, ['done', 'terminal']),
    is: (events) => statusOf(events, 'function_call', 'done') === 'in_progress',
  },
  'an item that is announced is in progress': {
    base: 'shell',
    damage: [],
    is: (events) => statusOf(events, 'shell_call_output', 'added') === 'completed',
  },
  'every item has a status': {
    base: 'talk',
    damage: setItem('reasoning', { status: undefined }),
    is: (events) => itemsIn(events, 'reasoning', ['added', 'done', 'terminal']).every((item) => !('status' in item)),
  },
  'encrypted content is encrypted once': {
    base: 'talk',
    damage: [
      setItem('reasoning', { encrypted_content: 'gAAA1' }, ['added']),
      setItem('reasoning', { encrypted_content: 'gAAA2' }, ['done']),
      setItem('reasoning', { encrypted_content: 'gAAA3' }, ['terminal']),
    ],
    is: (events) =>
      new Set(itemsIn(events, 'reasoning', ['added', 'done', 'terminal']).map((item) => item['encrypted_content']))
        .size === 3,
  },
  'every text has a delta': {
    base: 'answer',
    damage: [
      drop('output_text.delta'),
      set('output_text.done', { text: '' }),
      set('content_part.done', { part: EMPTY }),
      setItem('message', { content: [EMPTY] }, ['done', 'terminal']),
    ],
    is: (events) => all(events, 'output_text.delta').length === 0,
  },
  'a response is in progress from the first': {
    base: 'answer',
    damage: (events) => {
      for (const moment of ['created', 'in_progress', 'completed']) setResponse(moment, { background: true })(events)
      setResponse('created', { status: 'queued' })(events)
      const [created, ...rest] = events
      return renumbered([created, structuredClone({ ...created, type: 'response.queued' }), ...rest] as Stream)
    },
    is: (events) => all(events, 'queued').length === 1,
  },
  'the service tier is constant': {
    base: 'answer',
    damage: [
      setResponse('created', { service_tier: 'auto' }),
      setResponse('in_progress', { service_tier: 'auto' }),
      setResponse('completed', { service_tier: 'default' }),
    ],
    is: () => true,
  },
  'every event about an item has its id': {
    base: 'shell',
    damage: [],
    is: (events) =>
      ['added', 'delta', 'done'].every((moment) => !('item_id' in nth(events, `shell_call_command.${moment}`))),
  },
  'a hosted call ends with its .completed': {
    base: 'search',
    damage: [
      drop('web_search_call.completed'),
      setItem('web_search_call', { status: 'searching' }, ['done', 'terminal']),
    ],
    is: (events) => all(events, 'web_search_call.completed').length === 0,
  },
  'mcp_call.in_progress comes once': {
    base: 'mcp',
    damage: twice('mcp_call.in_progress'),
    is: (events) => all(events, 'mcp_call.in_progress').length === 2,
  },
  'the SDK knows every event': {
    base: 'answer',
    damage: withItem(
      { ...PATCH, status: 'in_progress' },
      { ...PATCH, status: 'completed', operation: { ...PATCH.operation, diff: '+a\n' } },
      [
        { type: 'response.apply_patch_call_operation_diff.delta', item_id: 'apc_1', delta: '+a\n' },
        { type: 'response.apply_patch_call_operation_diff.done', item_id: 'apc_1', diff: '+a\n' },
      ],
    ),
    is: (events) => all(events, 'apply_patch_call_operation_diff.done').length === 1,
  },
  'an item has the same fields all the while': {
    base: 'answer',
    damage: withItem(
      IMAGE,
      { ...IMAGE, status: 'generating', background: 'opaque', output_format: 'png', quality: 'high', result: 'aGk=' },
      [
        { type: 'response.image_generation_call.in_progress', item_id: 'ig_1' },
        { type: 'response.image_generation_call.generating', item_id: 'ig_1' },
      ],
    ),
    is: (events) => all(events, 'image_generation_call.completed').length === 0,
  },
  'delta and obfuscation are always as long': {
    base: 'answer',
    damage: [
      set('output_text.delta', { obfuscation: 'x'.repeat(14) }),
      set('output_text.delta', { delta: 'y'.repeat(20), obfuscation: 'x'.repeat(12) }, 1),
      set('output_text.done', { text: `Hi${'y'.repeat(20)}` }),
      set('content_part.done', { part: { ...EMPTY, text: `Hi${'y'.repeat(20)}` } }),
      setItem('message', { content: [{ ...EMPTY, text: `Hi${'y'.repeat(20)}` }] }, ['done', 'terminal']),
    ],
    is: () => true,
  },
  'output is tokens': {
    base: 'call',
    damage: (events) =>
      give(usageOf(events), {
        input_tokens: 0,
        output_tokens: 0,
        total_tokens: 0,
        output_tokens_details: { reasoning_tokens: 0 },
      }),
    is: (events) => usageOf(events)['output_tokens'] === 0,
  },
  'a response says when it was completed': {
    base: 'answer',
    damage: ['created', 'in_progress', 'completed'].map((type) =>
      setResponse(type, { completed_at: undefined, presence_penalty: undefined, frequency_penalty: undefined }),
    ),
    is: (events) => !('completed_at' in inside(nth(events, 'completed'), 'response')),
  },
  'usage says what was written to the cache': {
    base: 'answer',
    damage: (events) => give(inside(usageOf(events), 'input_tokens_details'), { cache_write_tokens: undefined }),
    is: () => true,
  },
  'an error is flat, as in the types of the SDK': {
    base: 'failed',
    damage: [],
    is: (events) => typeof inside(nth(events, 'error'), 'error')['message'] === 'string',
  },
  'the code of an error is one of the types of the SDK': {
    base: 'failed',
    damage: (events) => {
      give(inside(nth(events, 'error'), 'error'), { type: 'insufficient_quota', code: 'insufficient_quota' })
      give(inside(inside(nth(events, 'failed'), 'response'), 'error'), { code: 'insufficient_quota' })
    },
    is: () => true,
  },
}

describe('real streams are not so, and nothing is said against them', () => {
  test.each(Object.entries(NAIVE))(
    'nothing is said against a real stream of which this is not true: %s',
    (_name, { base, damage, is }) => {
      const events = damaged(BASES[base](), ...[damage].flat())
      expect(is(events)).toBe(true)
      expect(saidOf(events, 'openai')).toEqual([])
    },
  )

  test('sequence numbers continue over all streams of a file', () => {
    const lines = [...BASES.answer(), ...BASES.call()].map((event) => JSON.stringify(event))
    const streams = readStreams(lines.join('\n'))
    expect(streams.map((events) => events.length)).toEqual([10, 8])
    for (const events of streams) expect(checkEvents(events)).toEqual([])
  })
})
