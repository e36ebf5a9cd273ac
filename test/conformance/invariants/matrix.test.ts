import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { describeWithShared, sharedFolder } from '../../support/shared-data.js'
import {
  all,
  BASES,
  brokenBy,
  type Damage,
  type Draft,
  damaged,
  drop,
  give,
  insert,
  inside,
  itemsIn,
  move,
  nth,
  renumbered,
  set,
  setAll,
  setItem,
  setResponse,
  twice,
} from './streams.js'

const CLIENTS = ['openai', 'ai-sdk', 'openai-agents', 'langchain', 'codex'] as const

type Client = (typeof CLIENTS)[number]

/** A line of the matrices: how the stream is damaged, and what that did to the real clients. */
interface Line {
  readonly damage: Damage
  /** Who threw, or lost text, an item, or a call; who ran one twice. */
  readonly breaks?: readonly Client[]
  /** Who showed something else, but only what the server said. */
  readonly differs?: readonly Client[]
}

const ALL = CLIENTS

/** Every event that is about an item, with other fields. */
const ofItems =
  (fields: { readonly [field: string]: unknown }): Damage =>
  (events) => {
    for (const event of events.filter((event) => 'output_index' in event)) {
      for (const [name, value] of Object.entries(fields)) if (name in event) give(event, { [name]: value })
    }
  }

/** Every event about the item at an index, with other fields where it has them. */
const ofItem =
  (index: number, fields: { readonly [field: string]: unknown }): Damage =>
  (events) => {
    for (const event of events.filter((event) => event['output_index'] === index)) {
      for (const [name, value] of Object.entries(fields)) if (name in event) give(event, { [name]: value })
    }
  }

/** Events at other indexes. */
const indexed =
  (indexOf: (index: number) => number): Damage =>
  (events) => {
    for (const event of events.filter((event) => 'output_index' in event)) {
      event['output_index'] = indexOf(Number(event['output_index']))
    }
  }

const aboutItem =
  (type: string, moment: 'added' | 'done') =>
  (event: Draft): boolean =>
    event.type === `response.output_item.${moment}` && inside(event, 'item')['type'] === type

/** A response that failed. */
const FAILED = { status: 'failed', error: { code: 'server_error', message: 'boom' }, usage: null, completed_at: null }
const BOOM = { type: 'error', code: 'server_error', message: 'boom', param: null }

const endingAs =
  (type: 'incomplete' | 'failed', fields: { readonly [field: string]: unknown }): Damage =>
  (events) => {
    const last = nth(events, 'completed')
    last.type = `response.${type}`
    give(inside(last, 'response'), { status: type, ...fields })
  }

/** The stream up to a position, an error event, and the failure. */
const failingAt =
  (at: number, error: Draft): Damage =>
  (events) => {
    const failed = nth(events, 'completed')
    failed.type = 'response.failed'
    give(inside(failed, 'response'), { ...FAILED, output: [] })
    return renumbered([...events.slice(0, at), error, failed])
  }

/** What stands at the end of a response that shows an item more. */
const withItem =
  (item: { readonly [field: string]: unknown }): Damage =>
  (events) => {
    const about = { output_index: 3, item }
    const output = inside(nth(events, 'completed'), 'response')['output'] as unknown[]
    output.push(item)
    return renumbered([
      ...events.slice(0, -1),
      { type: 'response.output_item.added', ...about },
      { type: 'response.output_item.done', ...about },
      ...events.slice(-1),
    ])
  }

const lacks =
  (type: string): Damage =>
  (events) => {
    const response = inside(nth(events, 'completed'), 'response')
    response['output'] = (response['output'] as { type: string }[]).filter((item) => item.type !== type)
  }

const ADDED = 'output_item.added'
const DONE = 'output_item.done'
const TRACE = { type: 'acme:trace_event', trace: 1 }

/** By the names that the matrices give them. */
const LINES: Readonly<Record<string, Line>> = {
  baseline: { damage: (events) => events },
  'no sequence_number anywhere': {
    damage: (events) => {
      for (const event of events) delete event['sequence_number']
    },
  },
  'sequence_number all 0': {
    damage: (events) => {
      for (const event of events) event['sequence_number'] = 0
    },
  },
  'sequence_number starts at 1': {
    damage: (events) => {
      for (const [number, event] of events.entries()) event['sequence_number'] = number + 1
    },
  },
  'drop all response.created': { damage: drop('created'), breaks: ['openai'] },
  'drop all response.in_progress': { damage: drop('in_progress') },
  'drop all response.output_item.added': { damage: drop(ADDED), breaks: ['openai', 'langchain'] },
  'drop all response.output_item.done': { damage: drop(DONE), breaks: ['ai-sdk', 'codex'] },
  'drop all response.content_part.added': { damage: drop('content_part.added'), breaks: ['openai'] },
  'drop all response.content_part.done': { damage: drop('content_part.done') },
  'drop all response.output_text.delta': {
    damage: drop('output_text.delta'),
    breaks: ['ai-sdk', 'openai-agents', 'langchain'],
  },
  'drop all response.output_text.done': { damage: drop('output_text.done') },
  'drop all response.reasoning_text.delta': { damage: drop('reasoning_text.delta') },
  'drop all response.reasoning_text.done': { damage: drop('reasoning_text.done') },
  'drop all response.function_call_arguments.delta': {
    damage: drop('function_call_arguments.delta'),
    breaks: ['langchain'],
  },
  'drop all response.function_call_arguments.done': { damage: drop('function_call_arguments.done') },
  'drop all response.completed': { damage: drop('completed'), breaks: ALL },
  'drop reasoning content_part.added': {
    damage: drop(({ type, output_index }) => type === 'response.content_part.added' && output_index === 0),
    breaks: ['openai'],
  },
  'drop message content_part.added': {
    damage: drop(({ type, output_index }) => type === 'response.content_part.added' && output_index === 1),
    breaks: ['openai'],
  },
  'drop output_item.added of reasoning': {
    damage: drop(aboutItem('reasoning', 'added')),
    breaks: ['openai', 'langchain'],
  },
  'drop output_item.added of function_call': {
    damage: drop(aboutItem('function_call', 'added')),
    breaks: ['openai', 'langchain'],
  },
  'drop output_item.done of function_call': {
    damage: drop(aboutItem('function_call', 'done')),
    breaks: ['ai-sdk', 'codex'],
  },
  'drop output_item.done of message': { damage: drop(aboutItem('message', 'done')), breaks: ['codex'] },
  'no item_id on any event': { damage: ofItems({ item_id: undefined }), breaks: ['openai', 'ai-sdk'] },
  'no output_index on any event': {
    damage: ofItems({ output_index: undefined }),
    breaks: ['openai', 'ai-sdk', 'langchain'],
  },
  'no content_index on any event': { damage: ofItems({ content_index: undefined }), breaks: ['openai'] },
  'no logprobs on text delta/done': { damage: ofItems({ logprobs: undefined }) },
  'logprobs:null on text delta': { damage: setAll('output_text.delta', { logprobs: null }) },
  'reasoning part announced as output_text (vLLM#24788)': {
    damage: set('content_part.added', { part: { type: 'output_text', text: '', annotations: [], logprobs: [] } }),
    breaks: ['openai'],
  },
  'content_index 1 for 2nd item (vLLM#45742)': { damage: ofItem(1, { content_index: 1 }), breaks: ['openai'] },
  'content_index gap for reasoning': { damage: ofItem(0, { content_index: 1 }), breaks: ['openai'] },
  'output_index gap (0,2,3)': { damage: indexed((index) => (index === 0 ? 0 : index + 1)) },
  'output_index always 0': { damage: indexed(() => 0), breaks: ['openai'] },
  'output_index starts at 1': { damage: indexed((index) => index + 1) },
  'delta item_id differs from added id': {
    damage: setAll('output_text.delta', { item_id: 'msg_other' }),
    breaks: ['openai'],
  },
  'done item id differs from added': { damage: setItem('reasoning', { id: 'rs_1_x' }, ['done']), breaks: ['openai'] },
  'completed.output item ids differ': {
    damage: setItem('function_call', { id: 'fc_1_x' }, ['terminal']),
    breaks: ['openai'],
  },
  'completed.response.id differs from created': {
    damage: setResponse('completed', { id: 'resp_other' }),
    breaks: ['openai'],
  },
  'completed.output empty []': {
    damage: setResponse('completed', { output: [] }),
    breaks: ['openai', 'openai-agents'],
  },
  'completed.output missing': {
    damage: setResponse('completed', { output: undefined }),
    breaks: ['openai-agents', 'langchain'],
  },
  'completed.output null': {
    damage: setResponse('completed', { output: null }),
    breaks: ['openai-agents', 'langchain'],
  },
  'completed lacks reasoning item': { damage: lacks('reasoning'), breaks: ['openai', 'openai-agents'] },
  'completed lacks function_call item': { damage: lacks('function_call'), breaks: ['openai', 'openai-agents'] },
  // They count nothing, as the server did not.
  'completed usage null': {
    damage: setResponse('completed', { usage: null }),
    differs: ['ai-sdk', 'openai-agents', 'langchain'],
  },
  'completed usage without details': {
    damage: setResponse('completed', { usage: { input_tokens: 10, output_tokens: 20, total_tokens: 30 } }),
  },
  'completed usage details null': {
    damage: (events) =>
      give(inside(inside(nth(events, 'completed'), 'response'), 'usage'), {
        input_tokens_details: null,
        output_tokens_details: null,
      }),
  },
  'created.response without created_at': {
    damage: setResponse('created', { created_at: undefined }),
    breaks: ['ai-sdk'],
  },
  'created.response without output': { damage: setResponse('created', { output: undefined }) },
  'created.response = {id,object,status} only (old llama.cpp)': {
    damage: (events) => {
      const { id, object, status } = inside(nth(events, 'created'), 'response')
      nth(events, 'created')['response'] = { id, object, status }
    },
    breaks: ['ai-sdk'],
  },
  'created_at float': {
    damage: (events) => {
      for (const type of ['created', 'in_progress', 'completed']) {
        setResponse(type, { created_at: 1763474589.25 })(events)
      }
    },
  },
  'fc item without id': { damage: setItem('function_call', { id: undefined }), breaks: ['openai', 'ai-sdk'] },
  'fc item without call_id': {
    damage: setItem('function_call', { call_id: undefined }),
    breaks: ['openai', 'ai-sdk', 'langchain', 'codex'],
  },
  'fc added without arguments': {
    damage: setItem('function_call', { arguments: undefined }, ['added']),
    breaks: ['ai-sdk'],
  },
  'fc done without status': {
    damage: setItem('function_call', { status: undefined }, ['done']),
    breaks: ['ai-sdk'],
  },
  'fc call_id differs added/done': {
    damage: setItem('function_call', { call_id: 'call_other' }, ['done', 'terminal']),
    breaks: ['openai'],
  },
  'fc added.arguments already full, deltas repeat it': {
    damage: setItem('function_call', { arguments: '{"city":"Paris"}' }, ['added']),
    breaks: ['langchain'],
  },
  'reasoning added without content array': { damage: setItem('reasoning', { content: undefined }, ['added']) },
  'reasoning added content:null': { damage: setItem('reasoning', { content: null }, ['added']) },
  'reasoning without summary array': { damage: setItem('reasoning', { summary: undefined }), breaks: ['codex'] },
  'message added without content': {
    damage: setItem('message', { content: undefined }, ['added']),
    breaks: ['openai'],
  },
  'message added content:null': { damage: setItem('message', { content: null }, ['added']), breaks: ['openai'] },
  'message without role': { damage: setItem('message', { role: undefined }), breaks: ['codex'] },
  'message without status': { damage: setItem('message', { status: undefined }) },
  'message without annotations': {
    damage: (events) => {
      for (const part of [
        ...all(events, 'content_part.added').map((event) => inside(event, 'part')),
        ...all(events, 'content_part.done').map((event) => inside(event, 'part')),
        ...itemsIn(events, 'message', ['added', 'done', 'terminal']).flatMap(
          ({ content }) => content as { [field: string]: unknown }[],
        ),
      ]) {
        delete part['annotations']
      }
    },
  },
  'phase null': { damage: setItem('message', { phase: null }) },
  'phase unknown string': { damage: setItem('message', { phase: 'preamble' }), breaks: ['ai-sdk', 'codex'] },
  'unknown event type inserted (acme:trace_event)': { damage: insert(9, TRACE), breaks: ['openai'] },
  'unknown response.* event inserted': { damage: insert(9, { type: 'response.acme' }), breaks: ['openai'] },
  'unknown event BEFORE created': { damage: insert(0, TRACE), breaks: ['openai'] },
  'keepalive event': { damage: insert(9, { type: 'keepalive' }) },
  'reasoning via response.reasoning.delta/done (Open Responses names)': {
    damage: (events) => {
      for (const event of events) event.type = event.type.replace('response.reasoning_text.', 'response.reasoning.')
    },
    breaks: ['openai'],
  },
  // It is shown, as it came.
  'unknown item type acme:thing': {
    damage: withItem({ id: 'thing_1', type: 'acme:thing', status: 'completed' }),
    differs: ['openai', 'openai-agents'],
  },
  'raw output_item.done twice': { damage: twice(DONE, 2), breaks: ['ai-sdk', 'codex'] },
  'output_item.added twice': { damage: twice(ADDED, 1), breaks: ['openai'] },
  'terminal response.incomplete (max_output_tokens)': {
    damage: endingAs('incomplete', { incomplete_details: { reason: 'max_output_tokens' } }),
    differs: ['openai', 'ai-sdk', 'openai-agents', 'codex'],
  },
  'terminal response.failed with error': { damage: endingAs('failed', FAILED), differs: ALL },
  'terminal response.failed, no sequence_number': {
    damage: (events) => {
      endingAs('failed', FAILED)(events)
      delete nth(events, 'failed')['sequence_number']
    },
    breaks: ['ai-sdk'],
    differs: ['openai', 'openai-agents', 'langchain', 'codex'],
  },
  'error event nested then failed': {
    damage: failingAt(2, { type: 'error', error: { ...BOOM, type: 'server_error' } }),
    differs: ALL,
  },
  // Of one that is flat Codex knows nothing but that the stream is over.
  'error event flat (typed shape)': { damage: failingAt(2, BOOM), breaks: ['codex'], differs: ALL.slice(0, 4) },
  'error mid-stream nested after text': {
    damage: failingAt(13, { type: 'error', error: { ...BOOM, type: 'server_error' } }),
    differs: ALL,
  },
  'stream truncated mid item': { damage: (events) => events.slice(0, 12), breaks: ALL },
  'response.error present (empty object) on created': {
    damage: set('created', { error: { message: 'x' } }),
    breaks: ['openai', 'openai-agents', 'langchain'],
  },
  'event.error:null key on every event': {
    damage: (events) => {
      for (const event of events) event['error'] = null
    },
  },
  'in_progress before created': { damage: move(1, 0), breaks: ['openai'] },
  'two response.created': { damage: twice('created') },
  'events after completed': {
    damage: (events) => insert(-1, { ...nth(events, 'output_text.delta'), delta: 'late' })(events),
    breaks: ['openai', 'ai-sdk', 'openai-agents', 'langchain'],
  },
  'interleaved items (fc added before msg done)': { damage: move(16, 15) },
  'delta text != done text': { damage: set('output_text.done', { text: 'Another.' }) },
  'empty delta string': {
    damage: setAll('output_text.delta', { delta: '' }),
    breaks: ['ai-sdk', 'openai-agents', 'langchain'],
  },
  'response.output_text key absent/ present ""': {
    damage: setResponse('completed', { output_text: '' }),
    breaks: ['openai'],
  },
}

const REASONS = {
  startsText: 'The AI SDK loses a text that nothing started: "text part not found" (reference, section 4 and 34).',
  active: 'Codex drops the deltas of an item that was not announced, and panics in debug builds (section 4).',
  takesAll: 'The Agents SDK and the stream helper take what was made from the terminal response (21).',
  runsDone: 'The AI SDK runs what is done; the rule does not ask of which type an open item is.',
  calls: 'The Agents SDK finds a call by what the terminal response says of it (25).',
  once: 'response.created comes once (3).',
  stops: 'Codex stops at response.completed: it never sees what comes behind (5).',
} as const

/** What a profile asks that the matrix shows no client of it to need, and why it asks. */
const STRICTER: readonly (readonly [line: string, client: Client, rule: string, reason: keyof typeof REASONS])[] = [
  ...['drop all response.output_item.added', 'drop output_item.added of reasoning'].flatMap((line) => [
    [line, 'ai-sdk', 'done-was-added', 'startsText'] as const,
    [line, 'ai-sdk', 'within-item', 'startsText'] as const,
    [line, 'codex', 'done-was-added', 'active'] as const,
    [line, 'codex', 'within-item', 'active'] as const,
  ]),
  ['drop output_item.added of function_call', 'ai-sdk', 'done-was-added', 'startsText'],
  ['drop output_item.added of function_call', 'ai-sdk', 'within-item', 'startsText'],
  ['drop output_item.added of function_call', 'codex', 'done-was-added', 'active'],
  ['drop output_item.added of function_call', 'codex', 'within-item', 'active'],
  ...[
    'drop all response.output_item.done',
    'drop output_item.done of function_call',
    'drop output_item.done of message',
  ].flatMap((line) => [
    [line, 'openai', 'terminal-output-is-done-items', 'takesAll'] as const,
    [line, 'openai-agents', 'terminal-output-is-done-items', 'takesAll'] as const,
  ]),
  ['drop output_item.done of message', 'ai-sdk', 'every-item-done', 'runsDone'],
  ...[
    'no output_index on any event',
    'output_index always 0',
    'done item id differs from added',
    'completed.output item ids differ',
    'fc item without id',
  ].map((line) => [line, 'openai-agents', 'terminal-output-is-done-items', 'takesAll'] as const),
  ['fc call_id differs added/done', 'openai-agents', 'item-constant', 'calls'],
  ['two response.created', 'openai', 'created-first', 'once'],
  ['events after completed', 'codex', 'one-terminal-event-last', 'stops'],
  ['events after completed', 'codex', 'within-item', 'stops'],
]

describe('what breaks a client is an error under its profile, and nothing else is', () => {
  test.each(Object.entries(LINES))('%s', (name, { damage, breaks = [], differs = [] }) => {
    const events = damaged(BASES.talk(), damage)
    const told = new Map(CLIENTS.map((client) => [client, brokenBy(events, `client:${client}`)]))
    const missed = breaks.filter((client) => told.get(client)?.length === 0)
    const beyond = CLIENTS.filter((client) => !breaks.includes(client) && !differs.includes(client)).flatMap((client) =>
      (told.get(client) ?? []).map((rule) => `${client}: ${rule}`),
    )
    const stricter = STRICTER.filter(([line]) => line === name).map(([, client, rule]) => `${client}: ${rule}`)
    expect({ missed, beyond: beyond.sort() }).toEqual({ missed: [], beyond: stricter.sort() })
  })

  test('and a profile asks for more only with a reason', () => {
    expect([...new Set(STRICTER.map(([, , , reason]) => reason))].sort()).toEqual(Object.keys(REASONS).sort())
  })
})

const NAMES: Readonly<Record<string, Client>> = {
  openaiStream: 'openai',
  aisdk: 'ai-sdk',
  agents: 'openai-agents',
  langchain: 'langchain',
}

describeWithShared('the lines are those of the matrices', () => {
  const read = (file: string): string[] =>
    readFileSync(`${sharedFolder()}/data/responses/${file}`, 'utf8').trimEnd().split('\n')

  /** A line without the name it begins with. */
  function lineOf(lines: readonly string[], name: string, prefix: string): string {
    const line = lines.find((line) => line.startsWith(`${prefix}${name}: `))
    if (line === undefined) throw new Error(`no line ${name}`)
    return line.slice(prefix.length + name.length + 2)
  }

  test('and all of them', () => {
    const lines = read('client-mutation-matrix.txt')
    expect(Object.keys(LINES)).toHaveLength(lines.length)
  })

  test.each(Object.entries(LINES))('%s', (name, { breaks = [], differs = [] }) => {
    const line = lineOf(read('client-mutation-matrix.txt'), name, '- ')
    const told = [...line.matchAll(/(?:^| \| )(\w+)\{/g)].flatMap(([, client = '']) => NAMES[client] ?? [])
    const codex = read('codex-0.169.0-matrix.txt')
    const [asBefore, now] = ['baseline', name].map((name) => {
      const { err: _, ...shown } = JSON.parse(lineOf(codex, name, '- M '))
      return JSON.stringify(shown)
    })
    if (asBefore !== now) told.push('codex')
    expect(CLIENTS.filter((client) => told.includes(client))).toEqual(
      CLIENTS.filter((client) => breaks.includes(client) || differs.includes(client)),
    )
  })
})
