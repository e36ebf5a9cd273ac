import { describe, expect, test } from 'vitest'
import { CHAT_INVARIANTS, checkEvents, createChecker, INVARIANTS } from '../../../../src/judge/conformance/index.js'
import { BASES, type BaseName, type Damage, type Draft, reported } from './streams.js'

const delta = (chunk: Draft): Draft => chunk.choices[0].delta
const call = (chunk: Draft): Draft => delta(chunk).tool_calls[0]
/** Changes the chunk at an index. */
const at =
  (index: number, change: (chunk: Draft) => void): Damage =>
  (chunks) => {
    change(chunks[index])
  }
const move =
  (from: number, to: number): Damage =>
  (chunks) => {
    chunks.splice(to, 0, ...chunks.splice(from, 1))
  }
const drop =
  (index: number): Damage =>
  (chunks) => {
    chunks.splice(index, 1)
  }

/** By rule, what it finds in a damaged stream: all that is reported. */
const CASES: Readonly<Record<string, Readonly<Record<string, readonly [BaseName, Damage, ...string[]]>>>> = {
  'chat-chunk-shape': {
    'a chunk without a model': ['text', at(1, (chunk) => delete chunk.model), '1 chat-chunk-shape'],
    'another object': ['text', at(1, (chunk) => (chunk.object = 'chat.completion')), '1 chat-chunk-shape'],
    'a text that is a number': ['text', at(1, (chunk) => (delta(chunk).content = 1)), '1 chat-chunk-shape'],
    'arguments that are an object': [
      'call',
      at(2, (chunk) => (call(chunk).function.arguments = {})),
      '2 chat-chunk-shape',
      '4 chat-arguments-json',
    ],
    'an unknown finish_reason': [
      'text',
      at(3, (chunk) => (chunk.choices[0].finish_reason = 'eos')),
      '3 chat-chunk-shape',
    ],
    'a finish_reason that is missing': [
      'text',
      at(1, (chunk) => delete chunk.choices[0].finish_reason),
      '1 chat-chunk-shape',
    ],
    'created in fractions': [
      'text',
      at(1, (chunk) => (chunk.created = 7.5)),
      '1 chat-chunk-shape',
      '1 chat-created-constant',
    ],
    'no chunk': ['text', (chunks) => chunks.with(1, null), '1 chat-chunk-shape'],
    'a list': ['text', (chunks) => chunks.with(1, []), '1 chat-chunk-shape'],
  },
  'chat-one-completion': {
    'another id': ['text', at(1, (chunk) => (chunk.id = 'chatcmpl-2')), '1 chat-one-completion'],
    'another model': ['text', at(4, (chunk) => (chunk.model = 'other')), '4 chat-one-completion'],
  },
  'chat-created-constant': {
    'another time': ['text', at(2, (chunk) => (chunk.created = 8)), '2 chat-created-constant'],
  },
  'chat-id-named': {
    'an empty id': [
      'text',
      at(0, (chunk) => (chunk.id = '')),
      '0 chat-id-named',
      ...[1, 2, 3, 4].map((n) => `${n} chat-one-completion`),
    ],
  },
  'chat-no-aside': {
    "a chunk of Azure's about its content filter": [
      'text',
      (chunks) => [{ id: '', object: '', created: 0, model: '', choices: [], prompt_filter_results: [] }, ...chunks],
      '0 chat-no-aside',
    ],
  },
  'chat-error-body': {
    'an error without a message': ['failed', at(2, (chunk) => delete chunk.error.message), '2 chat-error-body'],
    'an error without a type': ['failed', at(2, (chunk) => delete chunk.error.type), '2 chat-error-body'],
    'an error event of Messages': ['failed', at(2, (chunk) => (chunk.type = 'error')), '2 chat-error-body'],
    'an error that is a text': ['failed', at(2, (chunk) => (chunk.error = 'no')), '2 chat-error-body'],
  },
  'chat-error-ends': {
    'an error behind the finish_reason': [
      'failed',
      (chunks) => [chunks[0], { ...chunks[1], choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }, chunks[2]],
      '2 chat-error-ends',
    ],
  },
  'chat-error-last': {
    'text after an error': ['failed', move(2, 1), '2 chat-error-last'],
  },
  'chat-choice-index': {
    'an index too high': ['text', at(1, (chunk) => (chunk.choices[0].index = 128)), '1 chat-choice-index'],
    'no index': ['text', at(1, (chunk) => delete chunk.choices[0].index), '1 chat-chunk-shape', '1 chat-choice-index'],
  },
  'chat-choice-once': {
    'a delta in two choices of one index': [
      'text',
      at(1, (chunk) => chunk.choices.push(structuredClone(chunk.choices[0]))),
      '1 chat-choice-once',
    ],
  },
  'chat-text-in-delta': {
    'a text beside the delta': [
      'text',
      at(1, ({ choices: [choice] }) => Object.assign(choice, { text: 'Hi', delta: {} })),
      '1 chat-text-in-delta',
    ],
  },
  'chat-choices-dense': {
    'only a choice 1': [
      'text',
      (chunks) => {
        for (const { choices } of chunks) for (const choice of choices) choice.index = 1
      },
      '5 chat-choices-dense',
    ],
    'no choice': ['text', () => [], '0 chat-choices-dense'],
  },
  'chat-role-first': {
    'no role': ['text', at(0, (chunk) => delete delta(chunk).role), '0 chat-role-first'],
    'another role': ['text', at(0, (chunk) => (delta(chunk).role = 'user')), '0 chat-role-first'],
    'the first chunk is lost': ['text', drop(0), '0 chat-role-first'],
  },
  'chat-role-once': {
    'a role in each delta': ['text', at(1, (chunk) => (delta(chunk).role = 'assistant')), '1 chat-role-once'],
  },
  'chat-finish-once': {
    'no finish_reason': ['text', drop(3), '3 chat-usage-last', '4 chat-finish-once'],
    'a second one': ['text', (chunks) => chunks.toSpliced(3, 0, structuredClone(chunks[3])), '4 chat-finish-once'],
  },
  'chat-nothing-after-finish': {
    'text after it': ['text', move(3, 2), '3 chat-nothing-after-finish'],
    'a call after it': ['calls', move(5, 3), '4 chat-nothing-after-finish', '5 chat-nothing-after-finish'],
  },
  'chat-call-index': {
    'no index': ['call', at(2, (chunk) => delete call(chunk).index), '2 chat-chunk-shape', '2 chat-call-index'],
    'an index too high': ['call', at(2, (chunk) => (call(chunk).index = 200)), '2 chat-call-index'],
  },
  'chat-calls-in-order': {
    'indexes from 1': [
      'call',
      (chunks) => {
        for (const chunk of chunks.slice(1, 4)) call(chunk).index = 1
      },
      '1 chat-calls-in-order',
    ],
    'calls in each other': ['calls', move(2, 3), '3 chat-calls-in-order', '4 chat-calls-in-order'],
  },
  'chat-call-begins': {
    'no id': ['call', at(1, (chunk) => delete call(chunk).id), '1 chat-call-begins'],
    'no type': ['call', at(1, (chunk) => delete call(chunk).type), '1 chat-call-begins'],
    'no name': ['call', at(1, (chunk) => delete call(chunk).function.name), '1 chat-call-begins'],
    'an empty name': ['call', at(1, (chunk) => (call(chunk).function.name = '')), '1 chat-call-begins'],
    'no name of a custom tool': ['custom', at(1, (chunk) => delete call(chunk).custom.name), '1 chat-call-begins'],
  },
  'chat-call-goes-on': {
    'the name again': ['call', at(2, (chunk) => (call(chunk).function.name = 'f')), '2 chat-call-goes-on'],
    'another id': ['call', at(2, (chunk) => (call(chunk).id = 'call_2')), '2 chat-call-goes-on'],
    'the type again': ['call', at(3, (chunk) => (call(chunk).type = 'function')), '3 chat-call-goes-on'],
  },
  'chat-call-ids-differ': {
    'an id twice': ['calls', at(3, (chunk) => (call(chunk).id = 'call_1')), '3 chat-call-ids-differ'],
  },
  'chat-arguments-json': {
    'a lost delta': ['call', drop(3), '3 chat-arguments-json'],
    'a lost delta of a function_call': ['old', drop(2), '2 chat-arguments-json'],
    'a doubled delta': [
      'call',
      (chunks) => chunks.toSpliced(2, 0, structuredClone(chunks[2])),
      '5 chat-arguments-json',
    ],
  },
  'chat-arguments-encoded-once': {
    'JSON in JSON': [
      'call',
      (chunks) => {
        call(chunks[2]).function.arguments = JSON.stringify('{"a":1}')
        call(chunks[3]).function.arguments = ''
      },
      '4 chat-arguments-encoded-once',
    ],
  },
  'chat-finish-has-calls': {
    'tool_calls without calls': [
      'text',
      at(3, (chunk) => (chunk.choices[0].finish_reason = 'tool_calls')),
      '3 chat-finish-has-calls',
    ],
    'function_call without one': [
      'call',
      at(4, (chunk) => (chunk.choices[0].finish_reason = 'function_call')),
      '4 chat-finish-has-calls',
    ],
  },
  'chat-calls-finish': {
    'calls that end with stop': [
      'call',
      at(4, (chunk) => (chunk.choices[0].finish_reason = 'stop')),
      '4 chat-calls-finish',
    ],
    'a function_call that ends with stop': [
      'old',
      at(3, (chunk) => (chunk.choices[0].finish_reason = 'stop')),
      '3 chat-calls-finish',
    ],
  },
  'chat-calls-one-form': {
    'a function_call beside tool_calls': [
      'call',
      at(3, (chunk) => (delta(chunk).function_call = { name: 'f', arguments: '{}' })),
      '3 chat-calls-one-form',
    ],
    'tool_calls beside a function_call': [
      'old',
      at(2, (chunk) => (delta(chunk).tool_calls = [{ index: 0, id: 'a', type: 'custom', custom: { name: 'c' } }])),
      '2 chat-calls-one-form',
    ],
  },
  'chat-usage-last': {
    'usage before the end': ['text', move(4, 3), '3 chat-usage-last', '4 chat-usage-last'],
    'usage in the chunk with finish_reason': [
      'text',
      (chunks) => {
        chunks[3].usage = chunks.pop().usage
      },
      '3 chat-usage-last',
    ],
    'usage twice': ['text', (chunks) => [...chunks, chunks[4]], '5 chat-usage-last'],
    'a chunk that says nothing': ['text', at(4, (chunk) => (chunk.usage = null)), '4 chat-usage-last'],
  },
  'chat-usage-announced': {
    'no usage in the others': ['text', at(1, (chunk) => delete chunk.usage), '4 chat-usage-announced'],
  },
  'chat-usage-adds-up': {
    'another total': ['text', at(4, (chunk) => (chunk.usage.total_tokens = 8)), '4 chat-usage-adds-up'],
  },
}

test.each(Object.keys(BASES) as BaseName[])('the good stream %s is reported with nothing', (base) => {
  expect(reported(base)).toEqual([])
})

test('a stream without token counts is good', () => {
  expect(
    reported('call', (chunks) => {
      chunks.pop()
      for (const chunk of chunks) delete chunk.usage
    }),
  ).toEqual([])
})

test('two choices in turn are good, each with its own calls', () => {
  expect(
    reported('calls', (chunks) => {
      const second = structuredClone(chunks.slice(0, -1))
      for (const { choices } of second) choices[0].index = 1
      return [...second.flatMap((chunk, at) => [structuredClone(chunks[at]), chunk]), chunks.at(-1)]
    }),
  ).toEqual([])
})

describe.each(Object.entries(CASES))('%s:', (_rule, cases) => {
  test.each(Object.entries(cases))('%s', (_name, [base, damage, ...expected]) => {
    expect(reported(base, damage)).toEqual(expected)
  })
})

test('every rule of the profile chat has a damage that it finds, but for those on frames', () => {
  const rules = CHAT_INVARIANTS.filter(({ neededBy }) => neededBy.includes('chat'))
  const ids = rules.map(({ id }) => id).filter((id) => !id.startsWith('chat-done-'))
  expect(Object.keys(CASES)).toEqual(ids)
  for (const [rule, cases] of Object.entries(CASES)) {
    for (const [, , ...expected] of Object.values(cases)) expect(expected.join()).toContain(rule)
  }
})

test('no rule has the id of a rule of the Responses API', () => {
  const ids = [...INVARIANTS, ...CHAT_INVARIANTS].map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})

test('invalid text is the model’s fault, and arguments that are not text are the server’s', () => {
  const stream = structuredClone(BASES.call) as unknown as Draft[]
  stream.splice(3, 1)
  expect(checkEvents(stream, { profile: 'chat' })).toEqual([
    {
      rule: 'chat-arguments-json',
      severity: 'error',
      fault: 'model',
      position: 3,
      type: 'chat.completion.chunk',
      expected: 'valid JSON',
      got: '"{\\"a\\""',
      about: { choice: 0, call: 0, since: 1 },
    },
  ])
})

test('a rule can be left out, and options that say nothing for chunks are refused', () => {
  const stream = structuredClone(BASES.text) as unknown as Draft[]
  delete stream[0].choices[0].delta.role
  expect(checkEvents(stream, { profile: 'chat', without: ['chat-role-first'] })).toEqual([])
  expect(() => createChecker({ profile: 'chat', without: ['sequence-numbers'] })).toThrow('CHAT_INVARIANTS')
  expect(() => createChecker({ profile: 'chat', resumed: true })).toThrow('resumed')
})
