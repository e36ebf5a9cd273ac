import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CHAT_CLIENTS, checkEvents, explain, type StreamChunk } from '../../../../../src/judge/conformance/index.js'
import { RUNS } from '../../../../support/runs.js'
import { BASES, type BaseName, type Damage, type Draft } from '../streams.js'

type Client = (typeof CHAT_CLIENTS)[number]

function damaged(base: BaseName, damage: Damage): StreamChunk[] {
  const draft = structuredClone(BASES[base]) as unknown as Draft[]
  return ((damage(draft) as Draft[] | undefined) ?? draft) as StreamChunk[]
}

/** The rules that a client's profile finds broken, without warnings. */
const rules = (client: Client, base: BaseName, damage: Damage = () => {}): string[] =>
  checkEvents(damaged(base, damage), { profile: `chat:${client}` })
    .filter(({ severity }) => severity === 'error')
    .map(({ rule }) => rule)

const says = (client: Client, base: BaseName, damage: Damage = () => {}): string =>
  explain(damaged(base, damage), `chat:${client}`).text

const call = (chunk: Draft): Draft => chunk.choices[0].delta.tool_calls[0]
const delta = (chunk: Draft): Draft => chunk.choices[0].delta

describe('good streams', () => {
  test.each(['text', 'call', 'calls', 'cut', 'failed'] as const)('the good stream %s breaks no client', (base) => {
    for (const client of CHAT_CLIENTS) expect(rules(client, base)).toEqual([])
  })

  test('the AI SDK cannot read a custom tool call, and does not run a function_call', () => {
    expect(rules('openai', 'custom')).toEqual([])
    expect(rules('openai', 'old')).toEqual([])
    expect(rules('ai-sdk', 'custom')).toEqual(['chat-ai-sdk-validates', 'chat-ai-sdk-validates'])
    expect(rules('ai-sdk', 'old')).toEqual(['chat-client-calls'])
  })
})

describe('what belongs to the answer:', () => {
  test('a call that comes only behind the token counts, after a finish_reason that asks for one', () => {
    const damage: Damage = (chunks) => {
      const isCall = (chunk: Draft): boolean => Boolean(chunk.choices[0]?.delta.tool_calls)
      return [...chunks.filter((chunk) => !isCall(chunk)), ...chunks.filter(isCall)]
    }
    expect(rules('openai', 'call', damage)).toEqual([])
  })

  test('the arguments once, where each delta comes twice', () => {
    const damage: Damage = (chunks) =>
      chunks.flatMap((chunk) => (chunk.choices[0]?.delta.tool_calls ? [chunk, chunk] : [chunk]))
    expect(rules('openai', 'call', damage)).toContain('chat-client-calls')
  })

  test('not all of its text again, in the last delta', () => {
    const damage: Damage = (chunks) => {
      const texts = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '')
      const end = chunks.find((chunk) => chunk.choices[0]?.finish_reason)
      if (end !== undefined) end.choices[0].delta = { content: texts.join('') }
    }
    expect(rules('openai', 'text', damage)).toContain('chat-client-text')
  })

  test('the arguments in the order of their deltas, which a name behind them contradicts', () => {
    const damage: Damage = (chunks) => {
      const theirs = chunks.filter((chunk) => chunk.choices[0]?.delta.tool_calls).reverse()
      return chunks.map((chunk) => (chunk.choices[0]?.delta.tool_calls ? (theirs.shift() as Draft) : chunk))
    }
    expect(rules('openai', 'call', damage)).toContain('chat-client-calls')
  })
})

describe('where the clients differ:', () => {
  test('without an index on calls the openai SDK throws, and the AI SDK goes by the ids', () => {
    const damage: Damage = (chunks) => {
      for (const chunk of chunks) if (chunk.choices[0]?.delta.tool_calls) delete call(chunk).index
    }
    expect(rules('openai', 'call', damage)).toEqual(['chat-openai-calls'])
    expect(rules('ai-sdk', 'call', damage)).toEqual([])
  })

  test('with one index for all calls the openai SDK runs one call with the arguments of two', () => {
    const damage: Damage = (chunks) => {
      for (const chunk of chunks) if (chunk.choices[0]?.delta.tool_calls) call(chunk).index = 0
    }
    expect(rules('openai', 'calls', damage)).toEqual(['chat-client-calls'])
    expect(says('openai', 'calls', damage)).toContain('will run f with {}{}')
  })

  test('at a last delta that is null openai for Python raises, and the others read on', () => {
    const damage: Damage = (chunks) => {
      const end = chunks.find((chunk) => chunk.choices[0]?.finish_reason)
      if (end !== undefined) end.choices[0].delta = null
    }
    expect(rules('openai-python', 'text', damage)).toEqual(['chat-openai-python-delta'])
    expect(rules('openai', 'text', damage)).toEqual([])
  })

  test('a name that comes again openai for Python joins to one, and the others do not', () => {
    const damage: Damage = (chunks) => {
      for (const chunk of chunks) if (chunk.choices[0]?.delta.tool_calls) call(chunk).function.name = 'f'
    }
    expect(rules('openai-python', 'call', damage)).toContain('chat-openai-python-joins')
    expect(rules('openai', 'call', damage)).toEqual([])
  })

  test('of two choices openai for Python says that the answer was cut off if one was, and the openai SDK goes by the first', () => {
    const damage: Damage = (chunks) =>
      chunks.map((chunk) => {
        const [choice] = chunk.choices
        if (choice === undefined) return chunk
        const reason = choice.finish_reason && 'length'
        return { ...chunk, choices: [choice, { ...structuredClone(choice), index: 1, finish_reason: reason }] }
      })
    expect(says('openai-python', 'text', damage)).toContain('learns that it was cut off')
    expect(says('openai', 'text', damage)).toContain('ends well')
  })

  test('nobody runs a call that was cut off with the answer, so that its name and its arguments harm no client', () => {
    const damages: Damage[] = [
      (chunks) => void delete call(chunks[1]).function.name,
      (chunks) => void Object.assign(call(chunks[2]).function, { name: 'f' }),
      (chunks) => void Object.assign(call(chunks[2]).function, { arguments: '"{' }),
      (chunks) => void Object.assign(call(chunks[2]).function, { arguments: null }),
      (chunks) => void Object.assign(chunks[2], { object: '' }),
    ]
    const encode: Damage = (chunks) => void Object.assign(call(chunks[2]).function, { arguments: '"{}"' })
    expect(rules('openai', 'cut', encode)).toEqual(['chat-client-arguments'])
    for (const damage of damages) {
      expect(rules('openai-python', 'cut', damage)).toEqual([])
      expect(rules('openai', 'cut', damage)).toEqual([])
    }
    expect(rules('openai-python', 'call', (chunks) => void Object.assign(chunks[2], { object: '' }))).toContain(
      'chat-openai-python-object',
    )
  })

  test('an error that is empty is none for openai for Python', () => {
    const damage: Damage = (chunks) => {
      for (const chunk of chunks) chunk.error = {}
    }
    expect(rules('openai-python', 'text', damage)).toEqual([])
  })

  test('an empty object is a list of no calls for openai for Python, which raises at any other', () => {
    const calls =
      (tool_calls: object): Damage =>
      (chunks) => {
        delta(chunks[1]).tool_calls = tool_calls
      }
    expect(rules('openai-python', 'text', calls({}))).toEqual([])
    expect(rules('openai-python', 'text', calls({ index: 0 }))).toContain('chat-openai-python-calls')
  })

  test('a message at the end takes the calls of the deltas away, at which the openai SDK throws', () => {
    const damage: Damage = (chunks) => {
      const end = chunks.find((chunk) => chunk.choices[0]?.finish_reason)
      if (end !== undefined) end.choices[0].message = { role: 'assistant', content: null, tool_calls: [] }
    }
    expect(rules('openai', 'call', damage)).toEqual(['chat-openai-message'])
  })

  test('an empty object as choices loses what it should say for openai for Python, unless the chunk has the usage', () => {
    expect(rules('openai-python', 'text', (chunks) => void Object.assign(chunks[1], { choices: {} }))).toContain(
      'chat-openai-python-chunk',
    )
    expect(rules('openai-python', 'text', (chunks) => void Object.assign(chunks.at(-1), { choices: {} }))).toEqual([])
  })

  test('an empty function beside the custom tool of a call harms no client that reads custom tools', () => {
    const damage: Damage = (chunks) => {
      for (const chunk of chunks) if (chunk.choices[0]?.delta.tool_calls) call(chunk).function = { arguments: '' }
    }
    expect(rules('openai', 'custom', damage)).toEqual([])
  })

  test('a function_call that is a text raises for openai for Python', () => {
    const damage: Damage = (chunks) => {
      for (const chunk of chunks) if (chunk.choices[0]?.delta.function_call) delta(chunk).function_call = 'f'
    }
    expect(rules('openai-python', 'old', damage)).toContain('chat-openai-python-calls')
  })

  test('without a role the openai SDK throws at the end, and the AI SDK needs none', () => {
    const damage: Damage = (chunks) => {
      delete delta(chunks[0]).role
    }
    expect(rules('openai', 'text', damage)).toEqual(['chat-openai-role'])
    expect(rules('ai-sdk', 'text', damage)).toEqual([])
  })

  test('with another role in each delta the AI SDK shows an error, and the openai SDK shows no text', () => {
    const damage: Damage = (chunks) => {
      for (const chunk of chunks) if (chunk.choices.length > 0) delta(chunk).role = 'model'
    }
    expect(rules('ai-sdk', 'text', damage)).toContain('chat-ai-sdk-validates')
    expect(rules('openai', 'text', damage)).toEqual(['chat-openai-role'])
  })

  test('an error that is null in each chunk ends the answer of the AI SDK, and harms the openai SDK not', () => {
    const damage: Damage = (chunks) => {
      for (const chunk of chunks) chunk.error = null
    }
    expect(rules('openai', 'text', damage)).toEqual([])
    expect(rules('ai-sdk', 'text', damage)).toContain('chat-ai-sdk-error-key')
  })

  test('reasoning is shown by the AI SDK alone, so that it alone loses it', () => {
    const damage: Damage = (chunks) => {
      delta(chunks[1]).reasoning = 'Hm.'
      delta(chunks[1]).reasoning_content = ''
    }
    expect(rules('openai', 'text', damage)).toEqual([])
    expect(rules('ai-sdk', 'text', damage)).toEqual(['chat-client-reasoning'])
  })

  test('a call that comes after the end is run by both, and both are accused', () => {
    const late = { index: 0, id: 'call_1', type: 'function', function: { name: 'late_tool', arguments: '{}' } }
    const damage: Damage = (chunks) => {
      const chunk = structuredClone(chunks[1])
      chunk.choices[0].delta = { tool_calls: [late] }
      chunks.push(chunk)
    }
    for (const client of CHAT_CLIENTS) {
      expect(rules(client, 'text', damage)).toEqual(['chat-client-calls'])
      expect(says(client, 'text', damage)).toContain(
        'will run late_tool with {} (which came after the end of the answer: chunk 5)',
      )
    }
  })

  test('a finish_reason that comes before the last text harms none', () => {
    const damage: Damage = (chunks) => {
      chunks.splice(2, 0, ...chunks.splice(3, 1))
    }
    for (const client of CHAT_CLIENTS) expect(rules(client, 'text', damage)).toEqual([])
  })

  test('arguments that are encoded twice are the fault of the server', () => {
    const damage: Damage = (chunks) => {
      call(chunks[2]).function.arguments = JSON.stringify('{"a":1}')
      call(chunks[3]).function.arguments = ''
    }
    for (const client of CHAT_CLIENTS) expect(rules(client, 'call', damage)).toEqual(['chat-client-arguments'])
  })

  test('another answer in the middle is shown by both', () => {
    const damage: Damage = (chunks) => {
      const other = structuredClone(chunks[1])
      Object.assign(other, { id: 'chatcmpl-2', created: 8 })
      chunks.splice(2, 0, other)
    }
    for (const client of CHAT_CLIENTS) expect(rules(client, 'text', damage)).toContain('chat-client-text')
  })
})

describe('what explain says of Chat Completions:', () => {
  test.each(CHAT_CLIENTS)('a good call is run and ends well for %s', (client) => {
    expect(says(client, 'call')).toMatch(
      /^The (openai|AI) SDK (for Python )?shows no text, will run f with \{"a":1\}, and ends well\.$/,
    )
  })

  test('an answer that was cut off, one that failed, and one that never ends', () => {
    expect(says('openai', 'cut')).toContain('and learns that it was cut off (length)')
    expect(says('ai-sdk', 'failed')).toBe('The AI SDK shows "Hi", and fails: no.')
    expect(says('openai', 'text', (chunks) => chunks.slice(0, 3))).toContain(
      'It trips at the end: expected a finish_reason',
    )
    expect(says('ai-sdk', 'text', (chunks) => chunks.slice(0, 3))).toContain('ended without a finish reason')
  })

  test('a client that there is no model of is refused', () => {
    expect(() => explain([], 'chat:codex' as never)).toThrow('chat:openai, chat:openai-python, chat:ai-sdk')
  })
})

/** The paths of all fields and elements in a value. */
function paths(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  const inner = Object.entries(value).flatMap(([key, field]) => paths(field, [...path, key]))
  return path.length === 0 ? inner : [path, ...inner]
}

test('whatever comes instead of chunks, no model throws, and each gives its explanation', () => {
  const field = fc
    .constantFrom(...(Object.keys(BASES) as BaseName[]))
    .chain((base) => fc.tuple(fc.constant(base), fc.constantFrom(...paths(BASES[base])), fc.jsonValue()))
    .map(([base, path, value]) => {
      const chunks = structuredClone(BASES[base]) as Draft
      const parent = path.slice(0, -1).reduce((part, key) => part[key], chunks)
      parent[path.at(-1) as string] = value
      return chunks as readonly StreamChunk[]
    })
  const anything = fc.oneof(field, fc.array(fc.jsonValue()) as fc.Arbitrary<readonly Draft[]>)
  fc.assert(
    fc.property(anything, fc.constantFrom(...CHAT_CLIENTS), (chunks, client) => {
      const { text, errors } = explain(chunks, `chat:${client}`)
      expect(text).toMatch(/^The (openai|AI) SDK (for Python )?shows /)
      for (const { position } of errors) expect(position).toBeLessThanOrEqual(chunks.length)
    }),
    { numRuns: RUNS },
  )
})
