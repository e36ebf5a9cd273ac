import { describe, expect, test } from 'vitest'
import {
  extraEvents,
  extraKeys,
  outputItemSchema,
  parseEvent,
  responseSchema,
} from '../../../../src/judge/conformance/schemas/index.js'
import { eventSpecimens, itemSpecimens, responseSpecimen } from './specimens.js'

const rows = extraKeys.flatMap(({ key, on }) => on.map((name): [key: string, on: string] => [key, name]))

/** Values for the keys. */
const values: { [key: string]: unknown } = {
  obfuscation: 'abc',
  name: 'N',
  status: 'in_progress',
  bytes: [84],
  content_filters: [{ blocked: false }],
  input_tokens_per_turn: [1],
  cached_tokens_per_turn: [0],
  tool_output_tokens: 1,
  output_tokens_per_turn: [1],
  tool_output_tokens_per_turn: [0],
}

/** Puts keys into the object of that name, and returns whether the event around it passes. */
function passes(on: string, keys: object): boolean {
  const { usage } = responseSpecimen
  const delta = eventSpecimens['response.output_text.delta']
  const scored = { token: 'T', logprob: -1 }
  if (on in eventSpecimens) {
    return parseEvent({ ...eventSpecimens[on as keyof typeof eventSpecimens], ...keys }).problem === undefined
  }
  if (on in itemSpecimens) {
    return outputItemSchema.safeParse({ ...itemSpecimens[on as keyof typeof itemSpecimens], ...keys }).success
  }
  if (on === 'logprob of a delta') return !parseEvent({ ...delta, logprobs: [{ ...scored, ...keys }] }).problem
  if (on === 'top logprob of a delta') {
    return !parseEvent({ ...delta, logprobs: [{ ...scored, top_logprobs: [{ ...scored, ...keys }] }] }).problem
  }
  if (on === 'response') return responseSchema.safeParse({ ...responseSpecimen, ...keys }).success
  const details = { ...usage?.[on as 'input_tokens_details'], ...keys }
  return responseSchema.safeParse({ ...responseSpecimen, usage: { ...usage, [on]: details } }).success
}

describe.each(rows)('the extra key %s of %s', (key, on) => {
  test('the extra key is let through', () => {
    expect(passes(on, { [key]: values[key] })).toBe(true)
  })

  test('the extra key may be missing', () => {
    expect(passes(on, {})).toBe(true)
  })

  test('the extra key has a type of its own', () => {
    expect(passes(on, { [key]: { of: 'another type' } })).toBe(false)
  })
})

test('every extra says where it was seen', () => {
  for (const { seen } of extraKeys) expect(seen).toMatch(/\w/)
  for (const seen of Object.values(extraEvents)) expect(seen).toMatch(/\w/)
})

test('every string delta may have obfuscation', () => {
  const deltas = Object.values(eventSpecimens).filter((event) => 'delta' in event && typeof event.delta === 'string')
  const obfuscated = extraKeys.find(({ key }) => key === 'obfuscation')?.on
  expect(obfuscated).toEqual(deltas.map(({ type }) => type).sort())
})

test('an extra key of one event is refused on others', () => {
  const { problem } = parseEvent({ ...eventSpecimens['response.output_text.done'], obfuscation: 'abc' })
  expect(problem).toEqual({ path: 'obfuscation', expected: 'no such key', got: '"abc"' })
})
