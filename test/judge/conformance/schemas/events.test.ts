import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  extraEvents,
  outputItemSchema,
  parseEvent,
  responseSchema,
} from '../../../../src/judge/conformance/schemas/index.js'
import { describeWithShared } from '../../../support/shared-data.js'
import { shared } from './captures.js'
import { eventSpecimens, itemSpecimens, responseSpecimen } from './specimens.js'

interface Field {
  name: string
}
interface Described {
  type: string
  required: Field[]
  optional: Field[]
}

/** What the types of openai 7.59 say. */
const readUnion = (): { events: Described[]; output_items: Described[]; response: Omit<Described, 'type'> } =>
  JSON.parse(readFileSync(shared('responses/events.json'), 'utf8'))

const events = Object.entries(eventSpecimens)
const items = Object.entries(itemSpecimens)

const problemOf = (event: object): string | undefined => {
  const { problem } = parseEvent(event)
  return problem && `${problem.path}: expected ${problem.expected}, got ${problem.got}`
}
const added = (item: object): object => ({ ...eventSpecimens['response.output_item.added'], item })
const without = (value: object, key: string): object =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== key))
/** The keys that a value cannot be without. */
const required = (value: object, isRight: (value: object) => boolean): string[] =>
  Object.keys(value).filter((key) => !isRight(without(value, key)))
const names = (fields: Field[]): string[] => fields.map(({ name }) => name)

/** How a list of keys differs from the types: `+` marks a key that the types lack. */
const difference = (mine: string[], theirs: string[]): string[] => [
  ...mine.filter((key) => !theirs.includes(key)).map((key) => `+${key}`),
  ...theirs.filter((key) => !mine.includes(key)).map((key) => `-${key}`),
]
const differences = (all: [type: string, difference: string[]][]): { [type: string]: string[] } =>
  Object.fromEntries(all.filter(([, difference]) => difference.length > 0))

describe.each(events)('the event %s', (type, event) => {
  test('a specimen of an event passes with all that it may have', () => {
    expect(problemOf(event)).toBeUndefined()
  })

  test('a specimen of an event is refused with an unknown key', () => {
    expect(problemOf({ ...event, extra_key: 1 })).toBe('extra_key: expected no such key, got 1')
  })

  test('a specimen of an event is refused without its sequence number', () => {
    expect(problemOf(without(event, 'sequence_number'))).toBe(
      'sequence_number: expected a whole number from 0, got nothing',
    )
  })

  test('a specimen of an event is given back as it came', () => {
    expect(parseEvent(event).event).toBe(event)
    expect(parseEvent(event).event?.type).toBe(type)
  })
})

describe.each(items)('the item %s', (type, item) => {
  test('a specimen of an item passes with all that it may have', () => {
    expect(problemOf(added(item))).toBeUndefined()
  })

  test('a specimen of an item is refused with an unknown key', () => {
    expect(problemOf(added({ ...item, extra_key: null }))).toBe('item.extra_key: expected no such key, got null')
  })

  test('a specimen of an item is refused without its id', () => {
    expect(problemOf(added(without(item, 'id')))).toBe('item.id: expected a string, got nothing')
  })

  test('a specimen of an item is refused under a type that is made up', () => {
    expect(problemOf(added({ ...item, type: `${type}_x` }))).toBe(
      `item.type: expected the type of an output item, got "${type}_x"`,
    )
  })
})

describe('values on the wire that differ from the types', () => {
  test('an error is nested', () => {
    const flat = { type: 'error', sequence_number: 2, code: 'C', message: 'M', param: null }
    expect(problemOf(flat)).toBe('error: expected {type, code, message, param}, got nothing')
  })

  test('usage is null until the response ends', () => {
    expect(responseSchema.safeParse({ ...responseSpecimen, usage: null }).success).toBe(true)
  })

  test('the error of a response has any code', () => {
    const error = { code: 'made_up', message: 'M' }
    expect(responseSchema.safeParse({ ...responseSpecimen, error }).success).toBe(true)
  })

  test.each([
    ['cache_write_tokens', { cached_tokens: 0 }],
    ['the details of vLLM', { cached_tokens: 0, input_tokens_per_turn: [1], cached_tokens_per_turn: [0] }],
  ])('input tokens pass with or without %s', (_name, input_tokens_details) => {
    const usage = { ...responseSpecimen.usage, input_tokens_details }
    expect(responseSchema.safeParse({ ...responseSpecimen, usage }).success).toBe(true)
  })

  test('unknown keys of the response object are let through', () => {
    expect(responseSchema.safeParse({ ...responseSpecimen, of_next_year: {}, output_text: 'T' }).success).toBe(true)
  })

  test('unknown keys of the usage, the error and the items of a response are refused', () => {
    const { usage, error } = responseSpecimen
    const paths = [
      { ...responseSpecimen, usage: { ...usage, num_sources_used: 0 } },
      { ...responseSpecimen, error: { ...error, reason: 'R' } },
      { ...responseSpecimen, output: [{ ...itemSpecimens.reasoning, call_id: 'C' }] },
    ].map((response) => parseEvent({ ...eventSpecimens['response.completed'], response }).problem?.path)
    expect(paths).toEqual(['response.usage.num_sources_used', 'response.error.reason', 'response.output[0].call_id'])
  })
})

describeWithShared('against the types of openai 7.59', () => {
  test('the schemas have the 59 events of openai 7.59, and those that only the wire has', () => {
    const theirs = readUnion().events.map(({ type }) => type)
    expect(theirs).toHaveLength(59)
    const more = Object.keys(extraEvents).filter((type) => !theirs.includes(type))
    expect(Object.keys(eventSpecimens).sort()).toEqual([...theirs, ...more].sort())
  })

  test('the schemas have the 28 items of openai 7.59', () => {
    const theirs = readUnion().output_items.map(({ type }) => type)
    expect(theirs).toHaveLength(28)
    expect(Object.keys(itemSpecimens).sort()).toEqual(theirs.sort())
  })

  test('events require what those of openai 7.59 do, but for the error', () => {
    const all = readUnion().events.map(({ type, ...theirs }): [string, string[]] => {
      const mine = required(eventSpecimens[type as keyof typeof eventSpecimens], (event) => !problemOf(event))
      return [type, difference(mine, names(theirs.required))]
    })
    expect(differences(all)).toEqual({ error: ['+error', '-code', '-message', '-param'] })
  })

  test('events may have what those of openai 7.59 may', () => {
    const all = readUnion().events.map(({ type, ...theirs }): [string, string[]] => {
      const mine = Object.keys(eventSpecimens[type as keyof typeof eventSpecimens])
      return [type, difference(mine, names([...theirs.required, ...theirs.optional]))]
    })
    expect(differences(all)).toEqual({
      error: ['+error', '-code', '-message', '-param'],
      // Here the types have it too; in the specimens no delta has it, as it is let through as an extra key.
      'response.shell_call_command.delta': ['-obfuscation'],
    })
  })

  test('items require the fields of openai 7.59, except where the wire or a client differs', () => {
    const all = readUnion().output_items.map(({ type, ...theirs }): [string, string[]] => {
      const item = itemSpecimens[type as keyof typeof itemSpecimens]
      const mine = required(item, (value) => outputItemSchema.safeParse(value).success)
      return [type, difference(mine, names(theirs.required))]
    })
    expect(differences(all)).toEqual({
      custom_tool_call: ['+id'],
      function_call: ['+id', '+status'],
      image_generation_call: ['-result'],
      shell_call: ['-environment'],
      web_search_call: ['-action'],
    })
  })

  test('items may have what those of openai 7.59 may', () => {
    const all = readUnion().output_items.map(({ type, ...theirs }): [string, string[]] => {
      const mine = Object.keys(itemSpecimens[type as keyof typeof itemSpecimens])
      return [type, difference(mine, names([...theirs.required, ...theirs.optional]))]
    })
    expect(differences(all)).toEqual({})
  })

  test('the response requires more than that of openai 7.59, and less where the wire has less', () => {
    const mine = required(responseSpecimen, (value) => responseSchema.safeParse(value).success)
    expect(difference(mine, names(readUnion().response.required)).sort()).toEqual([
      '+background',
      '+max_output_tokens',
      '+max_tool_calls',
      '+previous_response_id',
      '+prompt_cache_key',
      '+reasoning',
      '+safety_identifier',
      '+service_tier',
      '+status',
      '+store',
      '+text',
      '+top_logprobs',
      '+truncation',
      '+usage',
      '-access_programs',
      '-output_text',
    ])
  })
})
