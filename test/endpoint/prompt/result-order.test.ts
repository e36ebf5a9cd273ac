import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import { fromChatRequest, fromMessagesRequest } from '../../../src/dialects/index.js'
import { type HistoryEntry, promptMessages, renderPrompt } from '../../../src/endpoint/prompt/index.js'
import { runs } from '../../support/runs.js'
import { encodeHarmony } from '../../support/tokens.js'

const tokenTable = await loadTokenTable()
const DATE = '2026-01-31'
const START = '<|start|>assistant'

type Item = { readonly [field: string]: unknown }

const user = (content: string): Item => ({ type: 'message', role: 'user', content })

/** A call and its output, both written with the letter of the call: `a` calls, `A` answers. */
interface Pair {
  readonly call: Item
  readonly output: Item
}

const EXIT = { type: 'exit', exit_code: 0 }

/** A pair of each kind that a client answers by a `call_id`. */
const PAIRS: Readonly<Record<string, (id: string) => Pair>> = {
  'a function': (id) => ({
    call: { type: 'function_call', call_id: id, name: 'look', arguments: `{"at":"${id}"}` },
    output: { type: 'function_call_output', call_id: id, output: `${id} is here` },
  }),
  'a function of a namespace': (id) => ({
    call: { type: 'function_call', call_id: id, namespace: 'docs', name: 'find', arguments: `{"at":"${id}"}` },
    output: { type: 'function_call_output', call_id: id, output: `${id} is here` },
  }),
  'a custom tool': (id) => ({
    call: { type: 'custom_tool_call', call_id: id, name: 'patch', input: id },
    output: { type: 'custom_tool_call_output', call_id: id, output: `${id} is here` },
  }),
  'a shell': (id) => ({
    call: { type: 'shell_call', call_id: id, action: { commands: [`cat ${id}`] }, status: 'completed' },
    output: {
      ...{ type: 'shell_call_output', call_id: id },
      output: [{ stdout: `${id} is here`, stderr: '', outcome: EXIT }],
    },
  }),
  'a shell without output': (id) => ({
    call: { type: 'shell_call', call_id: id, action: { commands: [`cat ${id}`] }, status: 'completed' },
    output: { type: 'shell_call_output', call_id: id, output: [] },
  }),
  'a local shell': (id) => ({
    call: {
      ...{ type: 'local_shell_call', id: `lsh_${id}`, call_id: id, status: 'completed' },
      action: { type: 'exec', command: ['cat', id], env: {} },
    },
    output: { type: 'local_shell_call_output', id, output: `${id} is here` },
  }),
  'a patch': (id) => ({
    call: {
      ...{ type: 'apply_patch_call', call_id: id, status: 'completed' },
      operation: { type: 'delete_file', path: `${id}.txt` },
    },
    output: { type: 'apply_patch_call_output', call_id: id, status: 'completed', output: `${id} is gone` },
  }),
}

const TOOLS = [
  { type: 'function', name: 'look', parameters: { type: 'object' } },
  { type: 'namespace', name: 'docs', tools: [{ type: 'function', name: 'find' }] },
  { type: 'custom', name: 'patch' },
  { type: 'shell', environment: { type: 'local' } },
  { type: 'local_shell' },
  { type: 'apply_patch' },
  { type: 'mcp', server_label: 'bank' },
]

/** Items by letters: calls in lower case, their outputs in upper case, `|` for a message of the user. */
function written(letters: string, kindOf: (letter: string) => string = () => 'a function'): Item[] {
  return [...letters].map((letter) => {
    if (letter === '|') return user('Wait.')
    const id = letter.toLowerCase()
    const { call, output } = (PAIRS[kindOf(id)] as (id: string) => Pair)(id)
    return letter === id ? call : output
  })
}

/** The prompt's messages behind the first one of the user, by the letters of their items. */
function order(letters: string, history: readonly HistoryEntry[] = []): string {
  const request = { input: [user('Go.'), ...written(letters)], tools: TOOLS }
  const { messages } = renderPrompt(request, { tokenTable, date: DATE, history })
  return messages.flatMap(({ item }) => (item === undefined || item === 0 ? [] : [letters[item - 1]])).join('')
}

const tokensOf = (input: readonly Item[], history: readonly HistoryEntry[] = []): number[] => [
  ...renderPrompt({ input, tools: TOOLS }, { tokenTable, date: DATE, history }).tokens,
]

const LETTERS = [...'abcdef']

/** Calls of any kinds, and their outputs in any order. */
const calls = fc.array(fc.constantFrom(...Object.keys(PAIRS)), { minLength: 2, maxLength: 6 }).chain((kinds) =>
  fc.record({
    kinds: fc.constant(kinds),
    outputs: fc.shuffledSubarray(
      kinds.map((_, at) => at),
      fullLength(kinds),
    ),
  }),
)

function fullLength({ length }: readonly unknown[]): { readonly minLength: number; readonly maxLength: number } {
  return { minLength: length, maxLength: length }
}

describe('the results of calls that were made together', () => {
  test.each([
    ['abBA', 'abAB'],
    ['abcCAB', 'abcABC'],
    // Calls that follow one that waits were made together with it: the model reads no result before all are there.
    ['abBcAC', 'abcABC'],
    ['abBAcC', 'abABcC'],
    ['aAbB', 'aAbB'],
    ['BaAb', 'aAbB'],
    ['BabA', 'abAB'],
    // What the user says stays behind the results that it followed, if these are the first ones.
    ['abA|B', 'abA|B'],
    ['abB|A', 'ab|AB'],
    ['ab|BA', 'ab|AB'],
    ['a|bBA', 'a|bAB'],
    ['abcBA|C', 'abcAB|C'],
  ])('results written as %s are read as %s', (letters, expected) => {
    expect(order(letters)).toBe(expected)
  })

  test('the prompt has the same tokens, whatever the kinds of the calls and the order of their outputs', () => {
    fc.assert(
      fc.property(calls, ({ kinds, outputs }) => {
        const kindOf = (letter: string): string => kinds[LETTERS.indexOf(letter)] as string
        const called = LETTERS.slice(0, kinds.length).join('')
        const rest = '|'
        const sorted = written(`${called}${called.toUpperCase()}${rest}`, kindOf)
        const shuffled = outputs.map((at) => (LETTERS[at] as string).toUpperCase()).join('')
        const given = written(`${called}${shuffled}${rest}`, kindOf)
        expect(tokensOf([user('Go.'), ...given])).toEqual(tokensOf([user('Go.'), ...sorted]))
        const messages = (input: readonly Item[]) =>
          promptMessages({ input, tools: TOOLS }, { date: DATE }).map(({ item: _, ...message }) => message)
        expect(messages(given)).toEqual(messages(sorted))
      }),
      { numRuns: runs(1000) },
    )
  })

  test('results stand in the order of their calls and behind them, and nothing is lost, whatever stands in between', () => {
    const letters = fc
      .tuple(fc.integer({ min: 1, max: 6 }), fc.nat(3))
      .chain(([count, breaks]) => {
        const all = LETTERS.slice(0, count)
        const some = [...all, ...all.map((letter) => letter.toUpperCase()), ...'|'.repeat(breaks)]
        return fc.shuffledSubarray(some, fullLength(some))
      })
      .map((some) => some.join(''))
    fc.assert(
      fc.property(letters, (given) => {
        const read = order(given)
        expect([...read].sort()).toEqual([...given].sort())
        const called = read.replace(/[^a-z]/g, '')
        expect(called).toBe(given.replace(/[^a-z]/g, ''))
        expect(read.replace(/[^A-Z]/g, '').toLowerCase()).toBe(called)
        for (const letter of called) expect(read.indexOf(letter)).toBeLessThan(read.indexOf(letter.toUpperCase()))
        // The order is final: reading what was read changes nothing.
        expect(order(read)).toBe(read)
      }),
      { numRuns: runs(3000) },
    )
  })

  test('the prompt grows only at its end when the conversation goes on', () => {
    const round = fc.integer({ min: 1, max: 3 }).chain((count) => {
      const all = LETTERS.slice(0, count)
      const outputs = [...all.map((letter) => letter.toUpperCase()), '|']
      return fc.tuple(fc.constant(all), fc.shuffledSubarray(outputs, fullLength(outputs)))
    })
    fc.assert(
      fc.property(fc.array(round, { minLength: 2, maxLength: 4 }), (rounds) => {
        let input: Item[] = [user('Go.')]
        let before: number[] = []
        for (const [at, [called, outputs]] of rounds.entries()) {
          const renamed = [...called, ...outputs].map((letter) => {
            const [item] = written(letter) as [Item]
            return 'call_id' in item ? { ...item, call_id: `${at}${item['call_id']}` } : item
          })
          input = [...input, ...renamed]
          const tokens = tokensOf(input)
          // Without the beginning of the model's turn.
          if (at > 0) expect(tokens.slice(0, before.length - 2)).toEqual(before.slice(0, -2))
          before = tokens
        }
      }),
      { numRuns: runs(500) },
    )
  })
})

describe('the results of calls of a known transcript', () => {
  const text = (id: string): string =>
    `<|channel|>commentary to=functions.look <|constrain|>json<|message|>{"at":"${id}"}`
  const together = `${text('a')}<|end|>${START}${text('b')}<|end|>${START}${text('c')}<|call|>`

  test.each([
    ['abcCBA', 'abcABC'],
    ['aAbBcC', 'abcABC'],
    ['abBcAC', 'abcABC'],
    ['abB|cAC', 'ab|cABC'],
    // A client that moves the calls, too.
    ['cbaCBA', 'abcABC'],
    ['bBaAcC', 'abcABC'],
  ])('results written as %s are read as %s, behind the transcript', (letters, expected) => {
    const history = [{ tokens: encodeHarmony(together) }]
    expect(order(letters, history)).toBe(expected)
  })

  test('results that a transcript contains keep the order that they have there', () => {
    const result = (id: string): string =>
      `<|start|>functions.look to=assistant<|channel|>commentary<|message|>${id} is here<|end|>`
    const tokens = encodeHarmony(`${together}${result('b')}${result('a')}${result('c')}`)
    expect(order('abcABC', [{ tokens }])).toBe('abcBAC')
  })

  test('a prompt begins with the same tokens with and without the transcript, as far as the model wrote what is usual', () => {
    const canonical = together.replaceAll('<|end|>', '<|call|>')
    fc.assert(
      fc.property(fc.shuffledSubarray([...'ABC'], { minLength: 3 }), (outputs) => {
        const input = [user('Go.'), ...written(`abc${outputs.join('')}`)]
        expect(tokensOf(input, [{ tokens: encodeHarmony(canonical) }])).toEqual(tokensOf(input))
      }),
      { numRuns: 6 },
    )
  })
})

describe('the results of calls that wait for an approval', () => {
  const asked = (id: string): Item => ({
    ...{ type: 'mcp_approval_request', id, server_label: 'bank', name: 'pay', arguments: `{"id":"${id}"}` },
  })
  const answered = (id: string, approve: boolean): Item => ({
    ...{ type: 'mcp_approval_response', approval_request_id: id, approve, reason: `No ${id}.` },
  })
  const ran = (id: string): Item => ({
    ...{ type: 'mcp_call', server_label: 'bank', name: 'pay', arguments: `{"id":"${id}"}` },
    ...{ approval_request_id: id, output: `paid ${id}` },
  })
  /** What the messages behind the first one of the user say. */
  const said = (items: readonly Item[]): string[] =>
    promptMessages({ input: [user('Go.'), ...items], tools: TOOLS }, { date: DATE })
      .slice(3)
      .map(({ content }) => content)

  const CALLED = ['{"id":"p"}', '{"id":"q"}']
  const denied = (id: string): string => `The user did not approve this call. Reason: No ${id}.`

  test('denials stand in the order of the calls', () => {
    expect(said([asked('p'), asked('q'), answered('q', false), answered('p', false)])).toEqual([
      ...CALLED,
      denied('p'),
      denied('q'),
    ])
  })

  test('the results of approved calls stand in the order of the calls', () => {
    const both = [answered('q', true), answered('p', true)]
    expect(said([asked('p'), asked('q'), ...both, ran('q'), ran('p')])).toEqual([...CALLED, 'paid p', 'paid q'])
  })

  test('a denial stands behind the result of an earlier call that was approved', () => {
    const both = [answered('q', false), answered('p', true)]
    expect(said([asked('p'), asked('q'), ...both, ran('p')])).toEqual([...CALLED, 'paid p', denied('q')])
    // Without that result it waits for nothing.
    expect(said([asked('p'), asked('q'), ...both])).toEqual([...CALLED, denied('q')])
  })

  test('a request that the client leaves unanswered does not come between the calls of its turn', () => {
    const unanswered = 'The user has not approved this call.'
    const input = [asked('p'), asked('q'), user('Never mind.')]
    expect(said(input)).toEqual([...CALLED, unanswered, unanswered, 'Never mind.'])
    expect(said([asked('p'), ...written('aA')])).toEqual([CALLED[0], '{"at":"a"}', unanswered, 'a is here'])
  })

  test('a result stays in its place if the call was approved only after others had been made', () => {
    const late = [asked('p'), user('First look.'), ...written('aA'), answered('p', true), ran('p')]
    expect(said(late)).toEqual([CALLED[0], 'First look.', '{"at":"a"}', 'a is here', 'paid p'])
  })
})

test('the three APIs render the same tokens of the same calls, whatever the order of the outputs', () => {
  const look = { name: 'look', description: 'Looks.' }
  const schema = { type: 'object', properties: { at: { type: 'string' } } }
  fc.assert(
    fc.property(
      fc
        .integer({ min: 2, max: 5 })
        .map((count) => LETTERS.slice(0, count))
        .chain((ids) => fc.tuple(fc.constant(ids), fc.shuffledSubarray(ids, fullLength(ids)))),
      ([ids, outputs]) => {
        const responses = {
          tools: [{ type: 'function', ...look, parameters: schema, strict: false }],
          input: [
            user('Go.'),
            ...written(ids.join('')),
            ...written(outputs.map((id) => id.toUpperCase()).join('')),
            user('Wait.'),
          ],
        }
        const chat = fromChatRequest({
          model: 'gpt-oss',
          tools: [{ type: 'function', function: { ...look, parameters: schema, strict: false } }],
          messages: [
            { role: 'user', content: 'Go.' },
            {
              role: 'assistant',
              tool_calls: ids.map((id) => ({
                ...{ id, type: 'function', function: { name: 'look', arguments: `{"at":"${id}"}` } },
              })),
            },
            ...outputs.map((id) => ({ role: 'tool', tool_call_id: id, content: `${id} is here` })),
            { role: 'user', content: 'Wait.' },
          ],
        }).request
        const messages = fromMessagesRequest({
          model: 'gpt-oss',
          max_tokens: 100,
          tools: [{ ...look, input_schema: schema }],
          messages: [
            { role: 'user', content: 'Go.' },
            {
              role: 'assistant',
              content: ids.map((id) => ({ type: 'tool_use', id, name: 'look', input: { at: id } })),
            },
            // One by one, as clients send what ends first.
            ...outputs.map((id) => ({
              role: 'user',
              content: [{ type: 'tool_result', tool_use_id: id, content: `${id} is here` }],
            })),
            { role: 'user', content: 'Wait.' },
          ],
        }).request
        const [first, ...others] = [responses, chat, messages].map((request) => [
          ...renderPrompt(request, { tokenTable, date: DATE }).tokens,
        ])
        const sorted = {
          ...responses,
          input: [
            user('Go.'),
            ...written(ids.join('')),
            ...written(ids.map((id) => id.toUpperCase()).join('')),
            user('Wait.'),
          ],
        }
        expect(first).toEqual([...renderPrompt(sorted, { tokenTable, date: DATE }).tokens])
        for (const other of others) expect(other).toEqual(first)
      },
    ),
    { numRuns: runs(500) },
  )
})
