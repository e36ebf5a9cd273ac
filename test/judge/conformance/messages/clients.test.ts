import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  checkEvents,
  createCaptureChecker,
  explain,
  MESSAGES_CLIENTS,
  MESSAGES_PROFILES,
  type MessagesClient,
  readMessageStreams,
  reportOn,
  type StreamChunk,
} from '../../../../src/judge/conformance/index.js'
import { MessagesAgreement } from '../../../../src/judge/conformance/messages/clients/agreement.js'
import { wholeJson } from '../../../../src/judge/conformance/messages/clients/whole-json.js'
import { RUNS } from '../../../support/runs.js'
import { BASES, type BaseName, type Damage, type Draft, MIXED, OTHER_BLOCKS } from './streams.js'

function damaged(base: BaseName, damage: Damage): StreamChunk[] {
  const draft = structuredClone(BASES[base]) as unknown as Draft[]
  return ((damage(draft) as Draft[] | undefined) ?? draft) as StreamChunk[]
}

/** The rules that a client's profile finds broken, without warnings. */
const rules = (client: MessagesClient, base: BaseName, damage: Damage = () => {}): string[] =>
  checkEvents(damaged(base, damage), { profile: `messages:${client}` })
    .filter(({ severity }) => severity === 'error')
    .map(({ rule }) => rule)

const says = (client: MessagesClient, base: BaseName, damage: Damage = () => {}): string =>
  explain(damaged(base, damage), `messages:${client}`).text

/** The same for every client: `{ anthropic: [...], 'ai-sdk': [...], ... }`. */
const all = (base: BaseName, damage: Damage = () => {}): Record<string, string[]> =>
  Object.fromEntries(MESSAGES_CLIENTS.map((client) => [client, rules(client, base, damage)]))

const NONE = { anthropic: [], 'anthropic-python': [], 'ai-sdk': [], langchain: [] }

test.each(Object.keys(BASES) as BaseName[])('the good stream %s breaks no client of Messages', (base) => {
  expect(all(base)).toEqual(NONE)
})

test.each(MESSAGES_CLIENTS)('a compaction is no text of the answer, and breaks nothing in %s', (client) => {
  const answer = (OTHER_BLOCKS.slice(10) as Draft[]).map((event) => ('index' in event ? { ...event, index: 1 } : event))
  const events = [...OTHER_BLOCKS.slice(0, 4), ...answer] as StreamChunk[]
  expect(checkEvents(events, { profile: `messages:${client}` })).toEqual([])
})

test('of more blocks than are remembered, one that came again takes no other away', () => {
  const agreement = new MessagesAgreement()
  const take = (index: number): void => {
    const block = { type: 'tool_use', id: `toolu_${index}`, name: 'look', input: {} }
    agreement.take({ type: 'content_block_start', index, content_block: block }, 0)
    agreement.take({ type: 'content_block_stop', index }, 0)
  }
  for (let index = 0; index < 10_000; index++) take(index)
  take(0)
  agreement.end()
  expect(agreement.calls).toHaveLength(10_000)
})

test.each([
  ['without its start', (all: readonly object[]) => all.toSpliced(4, 1)],
  ['with a start that says nothing', (all: readonly object[]) => all.with(4, { ...all[4], content_block: {} })],
  ['that stops before its input', (all: readonly object[]) => all.with(5, all[6] ?? {}).with(6, all[5] ?? {})],
])('a call of the server %s takes nothing from the call of the client', (_, damage) => {
  const events = damage(MIXED) as StreamChunk[]
  const found = checkEvents(events, { profile: 'messages:langchain' })
  expect(found.map(({ rule }) => rule)).toEqual([])
})

/** Gives the input of the call in pieces, one a delta. */
const inPieces =
  (...pieces: string[]): Damage =>
  (events) => {
    const deltas = events.filter(({ delta }) => delta?.type === 'input_json_delta')
    for (const [at, { delta }] of deltas.entries()) delta.partial_json = pieces[at]
  }

describe('where the clients of Messages differ:', () => {
  test('without message_stop the Anthropic SDK throws, the AI SDK was interrupted, and LangChain needs none', () => {
    expect(all('text', (events) => events.slice(0, -1))).toEqual({
      ...NONE,
      anthropic: ['messages-anthropic-stop'],
      'ai-sdk': ['messages-ai-sdk-stop', 'messages-client-ending'],
    })
  })

  test('without the stop of its block the AI SDK does not run a call', () => {
    expect(all('call', (events) => events.toSpliced(4, 1))).toEqual({
      ...NONE,
      'ai-sdk': ['messages-ai-sdk-call-stop', 'messages-client-calls'],
    })
  })

  test('with one index for all blocks the Anthropic SDK and LangChain give one call the input of another', () => {
    const damage: Damage = (events) => {
      for (const event of events) if ('index' in event) event.index = 0
    }
    expect(rules('ai-sdk', 'thought', damage)).toEqual([])
    expect(rules('anthropic', 'thought', damage)).toEqual(['messages-client-result'])
  })

  test('deltas without an index are lost in the result of the Anthropic SDK, and the AI SDK refuses them', () => {
    const damage: Damage = (events) => {
      for (const event of events) if (event.type === 'content_block_delta') delete event.index
    }
    expect(rules('anthropic', 'text', damage)).toEqual(['messages-client-result'])
    expect(rules('ai-sdk', 'text', damage)).toContain('messages-ai-sdk-validates')
    expect(rules('langchain', 'text', damage)).toEqual([])
  })

  test('deltas that come only behind message_stop count where their block has no others: the SDK loses them', () => {
    const last: Damage = (events) => {
      const isDelta = ({ type }: Draft): boolean => type === 'content_block_delta'
      return [...events.filter((event) => !isDelta(event)), ...events.filter(isDelta)]
    }
    expect(rules('anthropic', 'text', last)).toContain('messages-client-result')
    expect(rules('anthropic-python', 'text', last)).toEqual([])
    expect(rules('anthropic-python', 'text', (events) => [...events, events[3]])).toContain('messages-client-text')
  })

  test('a delta that says nothing is missed by nobody, whatever its fields are called', () => {
    const empty =
      (delta: object): Damage =>
      (events) => {
        events.splice(2, 2, { ...events[2], delta })
      }
    for (const client of MESSAGES_CLIENTS) {
      const reads = `messages-client-reads`
      expect(rules(client, 'call', empty({ type: 'input_json_delta', input_json: '' }))).not.toContain(reads)
      expect(rules(client, 'call', empty({ type: 'input_json_delta', input_json: '{"a":1}' }))).not.toEqual([])
    }
  })

  test('inputs that are exchanged harm nobody where they are the same', () => {
    const swapped =
      (...inputs: string[]): Damage =>
      (events) => {
        const own = events.slice(1, 5).filter(({ delta }) => !delta?.partial_json?.startsWith(':'))
        const one = (index: number): Draft[] =>
          structuredClone(own).map((event: Draft) =>
            event.delta
              ? { ...event, index: 1 - index, delta: { ...event.delta, partial_json: inputs[index] } }
              : {
                  ...event,
                  index,
                  ...(event.content_block && { content_block: { ...event.content_block, id: `toolu_${index}` } }),
                },
          )
        return [events[0], ...one(0), ...one(1), ...events.slice(5)]
      }
    expect(rules('langchain', 'call', swapped('{"a":1}', '{"a":2}'))).toContain('messages-client-calls')
    expect(rules('langchain', 'call', swapped('{"a":1}', '{"a":1}'))).toEqual([])
  })

  test('a call whose start comes only behind message_stop has the name that it gives', () => {
    const damage: Damage = (events) => [...events.toSpliced(1, 1), events[1]]
    expect(rules('langchain', 'call', damage)).toEqual([])
    expect(rules('anthropic', 'call', damage)).not.toEqual([])
  })

  test('in an answer that was cut off, a call whose start says nothing is lost as well', () => {
    const damage: Damage = (events) => {
      events[1].content_block = {}
      Object.assign(events.at(-2).delta, { stop_reason: 'max_tokens' })
    }
    for (const client of MESSAGES_CLIENTS) expect(rules(client, 'call', damage)).not.toEqual([])
  })

  test('an input that comes twice is read once by the Anthropic SDK for Python, and harms all others', () => {
    const damage: Damage = (events) => {
      const whole = '{"city":"Oslo"}'
      Object.assign(events[2].delta, { partial_json: whole })
      Object.assign(events[3].delta, { partial_json: whole })
    }
    const { 'anthropic-python': python, ...others } = all('call', damage)
    expect(python).toEqual([])
    for (const found of Object.values(others)) expect(found).not.toEqual([])
  })

  test('an index alone in a list is one for the Anthropic SDK, as for JavaScript, and none for that in Python', () => {
    const damage: Damage = (events) => {
      for (const event of events) if (event.type === 'content_block_delta') event.index = [event.index]
    }
    expect(rules('anthropic', 'text', damage)).toEqual([])
    expect(rules('anthropic-python', 'text', damage)).toEqual(['messages-anthropic-python-index'])
  })

  test('the input of a call in its beginning alone is lost for LangChain', () => {
    const damage: Damage = (events) => {
      events[1].content_block.input = { city: 'Oslo' }
      events.splice(2, 2)
    }
    expect(all('call', damage)).toEqual({ ...NONE, langchain: ['messages-client-calls'] })
    expect(says('langchain', 'call', damage)).toContain('will run get_weather with {}')
  })

  test('a call without an id is one that LangChain cannot run', () => {
    expect(rules('langchain', 'call', (events) => void delete events[1].content_block.id)).toEqual([
      'messages-langchain-call-id',
      'messages-client-calls',
    ])
  })

  test('two stop_reasons are one text for LangChain, and the last one counts for the others', () => {
    const damage: Damage = (events) => {
      events.splice(6, 0, structuredClone(events[6]))
    }
    expect(all('text', damage)).toEqual({
      ...NONE,
      langchain: ['messages-langchain-stop-reason', 'messages-client-ending'],
    })
  })

  test('a message_start of another message stops the AI SDK, and the Anthropic SDK throws at any second one', () => {
    const other: Damage = (events) => {
      const start = structuredClone(events[0])
      start.message.id = 'msg_2'
      events.splice(4, 0, start)
    }
    expect(rules('anthropic', 'text', other)).toEqual(['messages-anthropic-start'])
    expect(rules('ai-sdk', 'text', other)).toContain('messages-ai-sdk-one-message')
    expect(rules('ai-sdk', 'text', (events) => void events.splice(1, 0, events[0]))).toEqual([])
  })

  test('text of a block that was not begun is lost for the Anthropic SDK, and an error for the AI SDK', () => {
    const drop: Damage = (events) => events.toSpliced(2, 1)
    expect(all('text', drop)).toEqual({
      anthropic: ['messages-anthropic-blocks'],
      'anthropic-python': ['messages-anthropic-python-index'],
      'ai-sdk': ['messages-ai-sdk-part'],
      langchain: [],
    })
  })

  test('a character that is divided between deltas of an input breaks the Anthropic SDK for Python, which encodes each', () => {
    expect(all('call', inPieces('{"city":"\ud83c', '\udf27"}'))).toEqual({
      ...NONE,
      'anthropic-python': ['messages-anthropic-python-text'],
    })
    expect(all('call', inPieces('{"city":"\ud83c\udf27', '"}'))).toEqual(NONE)
  })

  test('an input that is a word in two pieces breaks the Anthropic SDK for Python, which parses at each delta', () => {
    expect(rules('anthropic-python', 'call', inPieces('nu', 'll'))).toEqual(['messages-anthropic-python-input'])
    expect(rules('anthropic-python', 'call', inPieces('null', ''))).not.toContain('messages-anthropic-python-input')
    expect(rules('anthropic', 'call', inPieces('nu', 'll'))).not.toContain('messages-anthropic-input')
  })

  test('a citation at the index of no block is lost for all but the AI SDK, and breaks the SDK for Python', () => {
    const damage: Damage = (events) => {
      events[3].index = 1
    }
    expect(all('cited', damage)).toEqual({
      anthropic: ['messages-client-citations'],
      'anthropic-python': ['messages-anthropic-python-index'],
      'ai-sdk': [],
      langchain: ['messages-client-citations'],
    })
  })

  test('where a search gave the sources of the AI SDK, a citation behind the stop of its block is lost for it', () => {
    const searched =
      (content: object[]): Damage =>
      ([start, begin, ...rest]) => {
        const block = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content }
        const [text, cited, again, stop, ...end] = rest
        const search = [{ ...begin, content_block: block }, structuredClone(stop)]
        const answer = [begin, text, cited, stop, again].map((event) => ({ ...event, index: 1 }))
        return [start, ...search, ...answer, ...end]
      }
    const found = { type: 'web_search_result', url: 'https://a.example', title: 'Oslo', encrypted_content: '' }
    expect(rules('ai-sdk', 'cited', searched([found]))).toEqual(['messages-client-citations'])
    expect(rules('ai-sdk', 'cited', searched([]))).toEqual([])
  })

  test.each([
    ['its type', { type: 'page' }],
    ['its address', { url: null }],
  ])('a citation without %s is one for no client, and an error for the AI SDK', (_, wrong) => {
    const damage: Damage = (events) => void Object.assign(events[3].delta.citation, wrong)
    for (const client of MESSAGES_CLIENTS) {
      const rule = client === 'ai-sdk' ? 'messages-ai-sdk-validates' : 'messages-client-reads'
      expect(rules(client, 'cited', damage)).toContain(rule)
    }
  })

  test('a citation without a title is no annotation for LangChain', () => {
    expect(all('cited', (events) => void Object.assign(events[3].delta.citation, { title: null }))).toEqual({
      ...NONE,
      langchain: ['messages-langchain-citation', 'messages-client-citations'],
    })
  })

  test('citations of a block that are no list break both Anthropic SDKs where a delta continues them', () => {
    const damage: Damage = (events) => void Object.assign(events[1].content_block, { citations: { a: 1 } })
    expect(all('cited', damage)).toEqual({
      ...NONE,
      anthropic: ['messages-anthropic-blocks'],
      'anthropic-python': ['messages-anthropic-python-text'],
    })
  })

  test('a page that a start cites is one for the Anthropic SDKs alone', () => {
    const damage: Damage = (events) => {
      events[1].content_block.citations = [events[3].delta.citation]
      events.splice(3, 1)
    }
    expect(all('cited', damage)).toEqual({
      ...NONE,
      'ai-sdk': ['messages-client-citations'],
      langchain: ['messages-client-citations'],
    })
  })

  test('no client shows text in thinking deltas as text', () => {
    const damage: Damage = (events) => {
      for (const { delta } of events.slice(3, 5)) Object.assign(delta, { type: 'thinking_delta', thinking: delta.text })
    }
    for (const client of MESSAGES_CLIENTS) expect(rules(client, 'text', damage)).not.toEqual([])
  })

  test('an input that is encoded twice is a text for each tool', () => {
    const damage: Damage = (events) => {
      events[2].delta.partial_json = JSON.stringify('{"city":"Oslo"}')
      events[3].delta.partial_json = ''
    }
    for (const client of MESSAGES_CLIENTS) expect(rules(client, 'call', damage)).toContain('messages-client-input')
  })

  test('an input that is no JSON is the fault of the model', () => {
    const damage: Damage = (events) => {
      events[2].delta.partial_json = 'Oslo,'
    }
    for (const client of MESSAGES_CLIENTS) {
      const found = checkEvents(damaged('call', damage), { profile: `messages:${client}` })
      expect(found.map(({ fault }) => fault)).toContain('model')
    }
    expect(rules('anthropic', 'call', damage)).toEqual(['messages-anthropic-input'])
  })

  test('an input that lacks its last bracket is closed by the Anthropic SDK and LangChain, and not run by the AI SDK', () => {
    const damage: Damage = (events) => {
      events[3].delta.partial_json = ':"Oslo"'
    }
    expect(all('call', damage)).toEqual({ ...NONE, 'ai-sdk': ['messages-client-input-json'] })
    expect(says('ai-sdk', 'call', damage)).toContain('will not run get_weather with {"city":"Oslo"')
  })

  test('a call that comes after the end is run by the AI SDK and LangChain, and both are accused', () => {
    const late = damaged('call', (events) => events.slice(1, 5)).map((event) => ({ ...event, index: 1 }))
    const damage: Damage = (events) => [...events, ...late]
    for (const client of ['ai-sdk', 'langchain'] as const) {
      expect(rules(client, 'text', damage)).toContain('messages-client-calls')
      expect(says(client, 'text', damage)).toContain('get_weather with {"city":"Oslo"} (which came after the end')
    }
    expect(rules('anthropic', 'text', damage)).toEqual([])
  })

  test('an error behind message_stop makes a failure of a whole answer', () => {
    const error = { type: 'error', error: { type: 'api_error', message: 'Too late.' } }
    const damage: Damage = (events) => [...events, error]
    for (const client of MESSAGES_CLIENTS) expect(rules(client, 'text', damage)).toContain('messages-client-ending')
  })

  test('stop_reason end_turn behind a call, and tool_use without one, mislead every client', () => {
    const ends =
      (stop_reason: string): Damage =>
      (events) =>
        void Object.assign(events.at(-2).delta, { stop_reason })
    for (const client of MESSAGES_CLIENTS) {
      expect(rules(client, 'call', ends('end_turn'))).toEqual(['messages-client-ending'])
      expect(rules(client, 'text', ends('tool_use'))).toEqual(['messages-client-ending'])
    }
  })
})

describe('what explain says of Messages:', () => {
  test.each(MESSAGES_CLIENTS)('a good call is run and ends well for %s', (client) => {
    expect(says(client, 'call')).toMatch(
      /^(The (Anthropic|AI) SDK( for Python)?|LangChain) shows no text, will run get_weather with \{"city":"Oslo"\}, and ends well\.$/,
    )
  })

  test('an answer that was cut off, one that failed, and one that never ends', () => {
    expect(says('anthropic', 'cut')).toBe('The Anthropic SDK shows "Hi", and learns that it was cut off (max_tokens).')
    expect(says('langchain', 'failed')).toBe('LangChain shows "Hi", and fails: no.')
    expect(says('langchain', 'text', (events) => events.slice(0, 5))).toContain(
      'never learns that the answer has ended',
    )
    expect(says('anthropic', 'text', (events) => events.slice(0, 5))).toContain(
      'and throws: expected message_stop. It trips at the end',
    )
  })

  test('a client of another API is refused', () => {
    expect(() => explain([], 'messages:codex' as never)).toThrow(
      'messages:anthropic, messages:anthropic-python, messages:ai-sdk',
    )
  })
})

describe('the profiles of clients of Messages:', () => {
  test('the event that breaks a client is the cause of its losses', () => {
    const stream = damaged('text', (events) => events.toSpliced(6, 0, structuredClone(events[6])))
    const { causes } = reportOn(stream, { profile: 'messages:langchain' })
    expect(causes.map(({ lead, follow }) => `${lead.rule} +${follow}`)).toEqual(['messages-langchain-stop-reason +1'])
  })

  test('rules that are left out are not reported', () => {
    const stream = damaged('text', (events) => events.slice(0, -1))
    expect(
      checkEvents(stream, {
        profile: 'messages:ai-sdk',
        without: ['messages-ai-sdk-stop', 'messages-client-ending'],
      }),
    ).toEqual([])
  })

  test('a frame without an event line is lost for the SDK and LangChain, and read by the AI SDK', () => {
    const frame = (event: Draft): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
    const capture = BASES.text.map(frame).join('').replace('event: message_stop\n', '')
    const found = (profile: `messages:${MessagesClient}`): string[] => {
      const checker = createCaptureChecker({ profile })
      return [...checker.push(capture), ...checker.end()].flatMap((finding) =>
        finding.kind === 'violation' ? [finding.violation.rule] : [],
      )
    }
    expect(found('messages:anthropic')).toEqual(['messages-event-named'])
    expect(found('messages:langchain')).toEqual(['messages-event-named'])
    expect(found('messages:ai-sdk')).toEqual([])
  })

  test('with any input, no model of a client throws, and every violation has its place', () => {
    const event = fc.constantFrom(...Object.values(BASES).flat())
    const field = fc.constantFrom('type', 'index', 'delta', 'content_block', 'message', 'usage', 'error')
    const broken = fc.tuple(event, field, fc.jsonValue()).map(([one, name, value]) => ({ ...one, [name]: value }))
    const anything = fc.array(fc.oneof(event, broken, fc.jsonValue()), { maxLength: 12 })
    fc.assert(
      fc.property(anything, (events) => {
        for (const profile of MESSAGES_PROFILES) {
          const stream = events as unknown as StreamChunk[]
          for (const { position } of checkEvents(stream, { profile })) {
            expect(position).toBeLessThanOrEqual(events.length)
          }
        }
      }),
      { numRuns: RUNS },
    )
  })
})

describe('an input that is cut off, as the Anthropic SDK takes it:', () => {
  test.each([
    ['{"a":"b"', { a: 'b' }],
    ['{"a":"b', {}],
    ['{"a":1', {}],
    ['{"a":1,', { a: 1 }],
    ['{"a":[1,2', { a: [1] }],
    ['{"a":tr', {}],
    ['{"a":{"b":null', { a: { b: null } }],
    ['{"a"', {}],
    ['{', {}],
    ['{"a":1}"b', { a: 1 }],
    ['[1]2', [1]],
  ])('%s', (text, value) => {
    expect(wholeJson(text)).toEqual(value)
  })

  test.each(['', '{]', '{"a" "b"', 'Oslo', '12', '{"a":1}{"b":2}', '[01,'])('%j is no JSON', (text) => {
    expect(() => wholeJson(text)).toThrow(SyntaxError)
  })

  test('whole JSON is itself', () => {
    fc.assert(
      fc.property(fc.object(), (value) => {
        const text = JSON.stringify(value)
        expect(wholeJson(text)).toEqual(JSON.parse(text))
      }),
      { numRuns: RUNS },
    )
  })
})

test('captured streams of Messages are read one by one', () => {
  const lines = [...BASES.text, ...BASES.call].map((event) => `${JSON.stringify(event)}\n`).join('')
  expect(readMessageStreams(lines)).toEqual([BASES.text, BASES.call])
})
