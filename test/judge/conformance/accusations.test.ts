import { describe, expect, test } from 'vitest'
import { type ApiName, accusing, bodyOf } from './accused.js'
import { BASES as CHATS, type Draft } from './chat/streams.js'
import { both } from './invariants/cases.js'
import { BASES, type Damage, damaged, drop, inside, move, nth, renumbered, set, setItem } from './invariants/streams.js'
import { BASES as MESSAGES } from './messages/streams.js'

// Which profiles find an error in a stream. Source: each client was given the same streams, and what it showed decides.

type Row = readonly [name: string, stream: object[], profiles: string[]]

const draft = (events: readonly object[], change: (draft: Draft[]) => unknown): object[] => {
  const copy = structuredClone(events) as Draft[]
  change(copy)
  return copy
}

const accuses = (api: ApiName) => (_name: string, stream: object[], profiles: string[]) => {
  expect(accusing(api, bodyOf(api, stream))).toEqual(profiles)
}

const delta = (chunk: Draft): Draft => chunk.choices[0].delta
const call = (chunk: Draft): Draft => delta(chunk).tool_calls[0]

const CLIENTS = [
  'client:openai',
  'client:openai-python',
  'client:ai-sdk',
  'client:openai-agents',
  'client:langchain',
  'client:codex',
]

describe('Responses:', () => {
  const answer = (damage: Damage): object[] => damaged(BASES.answer(), damage)
  const search = (damage: Damage): object[] => damaged(BASES.search(), damage)
  const NO_TEXT = [{ type: 'output_text', text: '', annotations: [], logprobs: [] }]
  const said = { type: 'url_citation', start_index: 0, end_index: 1, url: 'https://late.example', title: 'A page' }
  const rows: readonly Row[] = [
    [
      'all done texts are empty',
      answer(
        both(
          set('output_text.done', { text: '' }),
          set('content_part.done', { part: NO_TEXT[0] }),
          setItem('message', { content: NO_TEXT }, ['done', 'terminal']),
        ),
      ),
      // The others show what was streamed.
      ['openai', 'client:openai', 'client:openai-python', 'client:openai-agents', 'client:codex'],
    ],
    [
      'the done events of a part have another content_index',
      answer(both(set('output_text.done', { content_index: 1 }), set('content_part.done', { content_index: 1 }))),
      ['openai', 'client:openai', 'client:openai-python'],
    ],
    [
      'an annotation behind the done item',
      answer((events) => {
        const { item_id, output_index, content_index } = nth(events, 'output_text.delta')
        const late = { item_id, output_index, content_index, annotation_index: 0, annotation: said }
        events.splice(-1, 0, { type: 'response.output_text.annotation.added', ...late, sequence_number: 9 })
        return renumbered(events)
      }),
      ['openai', 'client:openai', 'client:openai-python', 'client:openai-agents'],
    ],
    [
      'the terminal response lists the items in reverse',
      damaged(BASES.two(), (events) => {
        const response = inside(events.at(-1), 'response')
        response['output'] = (response['output'] as object[]).toReversed()
      }),
      ['openai', 'client:openai', 'client:openai-python', 'client:openai-agents'],
    ],
    [
      'the item of a call comes without its output_index, unlike its deltas',
      damaged(
        BASES.call(),
        both(
          set('output_item.added', { output_index: undefined }),
          set('output_item.done', { output_index: undefined }),
        ),
      ),
      ['openai', 'client:openai', 'client:openai-python', 'client:ai-sdk', 'client:langchain'],
    ],
    ['a search in the wrong order', search(move(5, 4)), ['openai']],
    ['a search without its events', search(drop(({ type }) => /web_search_call\.\w+$/.test(type))), []],
    ['an added message that is completed already', answer(setItem('message', { status: 'completed' }, ['added'])), []],
  ]
  test.each(rows)('%s', accuses('responses'))

  test('a stream that is cut off breaks every client', () => {
    expect(accusing('responses', bodyOf('responses', answer(drop('completed'))))).toEqual(['openai', ...CLIENTS])
  })
})

describe('Chat Completions:', () => {
  const rows: readonly Row[] = [
    [
      'a gateway begins with an id of its own',
      draft(CHATS.text, (chunks) => {
        chunks.unshift({ ...chunks[0], id: 'gateway', created: 3 })
      }),
      ['chat'],
    ],
    [
      'chunks of another answer come before the first word',
      draft(CHATS.text, (chunks) => {
        const other = structuredClone(chunks.slice(0, 2)).map((chunk) => ({ ...chunk, id: 'other', created: 3 }))
        chunks.splice(1, 0, ...other)
      }),
      ['chat', 'chat:openai', 'chat:openai-python', 'chat:ai-sdk'],
    ],
    [
      'the object of each chunk is that of an answer that was not streamed',
      draft(CHATS.text, (chunks) => {
        for (const chunk of chunks) chunk.object = 'chat.completion'
      }),
      ['chat', 'chat:openai-python'],
    ],
    [
      'text beside the delta',
      draft(CHATS.text, ([, { choices }]) => Object.assign(choices[0], { text: 'Hi', delta: {} })),
      ['chat', 'chat:openai', 'chat:openai-python', 'chat:ai-sdk'],
    ],
    [
      'two choices of one index in a chunk',
      draft(CHATS.text, (chunks) => {
        chunks[1].choices.push(...chunks.splice(2, 1)[0].choices)
      }),
      ['chat', 'chat:ai-sdk'],
    ],
    [
      'one choice twice in a chunk',
      draft(CHATS.text, ([, { choices }]) => choices.push(choices[0])),
      ['chat', 'chat:openai', 'chat:openai-python'],
    ],
    [
      'a second finish_reason, which denies the call',
      draft(CHATS.call, (chunks) => {
        const again = structuredClone(chunks[4])
        again.choices[0].finish_reason = 'stop'
        chunks.splice(5, 0, again)
      }),
      ['chat', 'chat:openai', 'chat:openai-python', 'chat:ai-sdk'],
    ],
    [
      'a finish_reason stop behind a call, as OpenAI sends it',
      draft(CHATS.call, (chunks) => {
        chunks[4].choices[0].finish_reason = 'stop'
      }),
      [],
    ],
    [
      'a call as function_call as well',
      draft(CHATS.call, (chunks) => {
        delta(chunks[1]).function_call = { name: 'f', arguments: '' }
        delta(chunks[2]).function_call = { arguments: '{"a"' }
        delta(chunks[3]).function_call = { arguments: ':1}' }
      }),
      ['chat'],
    ],
    [
      'another id in the middle of a call',
      draft(CHATS.call, (chunks) => {
        call(chunks[2]).id = 'call_2'
      }),
      ['chat'],
    ],
    [
      'an index that grows in the middle of a call',
      draft(CHATS.call, (chunks) => {
        call(chunks[2]).index = 1
        call(chunks[3]).index = 2
      }),
      ['chat', 'chat:openai', 'chat:openai-python'],
    ],
    [
      'a second call that does not begin',
      draft(CHATS.calls, (chunks) => chunks.splice(3, 1)),
      ['chat', 'chat:openai', 'chat:openai-python', 'chat:ai-sdk'],
    ],
    [
      'thinking in a list of parts',
      draft(CHATS.text, ([, chunk]) => {
        delta(chunk).content = [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }]
      }),
      ['chat', 'chat:openai', 'chat:openai-python'],
    ],
    [
      'an error behind the end of the answer',
      draft(CHATS.text, (chunks) => chunks.splice(4, 1, CHATS.failed[2])),
      ['chat'],
    ],
    [
      "Azure's chunk about the prompt",
      [{ choices: [], created: 0, id: '', model: '', object: '', prompt_filter_results: [] }, ...CHATS.text],
      [],
    ],
    [
      'the counts in the chunk of the finish_reason, and a chunk behind them',
      draft(CHATS.text, (chunks) => {
        chunks[3].usage = chunks[4].usage
        chunks[4].usage = null
      }),
      [],
    ],
  ]
  test.each(rows)('%s', accuses('chat'))
})

describe('Messages:', () => {
  const block = (index: number, content_block: object): object[] => [
    { type: 'content_block_start', index, content_block },
    { type: 'content_block_stop', index },
  ]
  const error = { type: 'error', message: 'no' }
  /** A good answer behind blocks of its own. */
  const behind = (...blocks: object[]): object[] => {
    const [start, , ...rest] = structuredClone(MESSAGES.text) as Draft[]
    const count = blocks.length / 2
    return [start, ...blocks, ...rest.map((event) => ('index' in event ? { ...event, index: count } : event))]
  }
  const served = (name: string): object => ({ type: 'server_tool_use', id: 'srvtoolu_1', name, input: {} })
  const result = (type: string, content: object): object => ({ type, tool_use_id: 'srvtoolu_1', content })
  const document = { type: 'document', title: null, source: { type: 'text', media_type: 'text/plain', data: 'x' } }
  const rows: readonly Row[] = [
    [
      'a page that was fetched',
      behind(
        ...block(0, served('web_fetch')),
        ...block(
          1,
          result('web_fetch_tool_result', {
            type: 'web_fetch_result',
            url: 'https://a.example',
            retrieved_at: null,
            content: document,
          }),
        ),
      ),
      [],
    ],
    [
      'code that was run',
      behind(
        ...block(0, served('bash_code_execution')),
        ...block(
          1,
          result('bash_code_execution_tool_result', {
            type: 'bash_code_execution_result',
            content: [],
            stdout: '1',
            stderr: '',
            return_code: 0,
          }),
        ),
      ),
      [],
    ],
    [
      'a result of a form that the AI SDK does not know',
      behind(...block(0, served('web_fetch')), ...block(1, result('web_fetch_tool_result', { type: 'web_page' }))),
      ['messages:ai-sdk'],
    ],
    [
      'the calls of a program in message_start',
      draft(MESSAGES.call, (events) => {
        const caller = { type: 'code_execution_20250825', tool_id: 'srvtoolu_1' }
        const { message } = events[0]
        message.content = [{ type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { a: 1 }, caller }]
        message.stop_reason = 'tool_use'
        events.splice(1, events.length - 2)
      }),
      // ChatAnthropic reads calls in blocks alone.
      ['messages:langchain'],
    ],
    [
      'a list as the input of a call',
      draft(MESSAGES.call, (events) => {
        events[2].delta.partial_json = '[1'
        events[3].delta.partial_json = ']'
      }),
      ['messages', 'messages:anthropic', 'messages:anthropic-python', 'messages:ai-sdk', 'messages:langchain'],
    ],
    [
      'two message_delta',
      draft(MESSAGES.text, (events) => events.splice(-2, 0, events.at(-2))),
      ['messages', 'messages:langchain'],
    ],
    [
      'an error whose message does not stand in error',
      [...MESSAGES.failed.slice(0, -1), error],
      ['messages', 'messages:ai-sdk'],
    ],
  ]
  test.each(rows)('%s', accuses('messages'))
})
