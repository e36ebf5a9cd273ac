import { expect, test } from 'vitest'
import * as z from 'zod'
import { listOf, parseEvent, recordOf, tokenId } from '../../../../src/engines/sources/http/parse-event.js'

const ids = z.object({ ids: listOf(tokenId, 'an array').nullish() }, 'an event')
const named = z.object({ named: recordOf(tokenId, 'an object').nullish() }, 'an event')
const lists = z.object({ lists: listOf(listOf(tokenId, 'a list'), 'lists') }, 'an event')
const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at)
const byName = (count: number): Record<string, number> => Object.fromEntries(numbers(count).map((at) => [`n${at}`, at]))

test.each([0, 1, 100, 101, 250, 1000])(
  'a list of %d entries is read whole, and so is an object of as many',
  (count) => {
    expect(parseEvent(ids, { ids: numbers(count) }, 'vLLM')).toEqual({ ids: numbers(count) })
    expect(parseEvent(named, { named: byName(count) }, 'vLLM')).toEqual({ named: byName(count) })
    const nested = { lists: numbers(count).map((at) => [at]) }
    expect(parseEvent(lists, nested, 'vLLM')).toEqual(nested)
  },
)

test.each([0, 99, 100, 777])('the error names the first wrong entry, the one at %d', (at) => {
  const message = `vLLM: ids[${at}]: expected a token id, got "x"`
  expect(() => parseEvent(ids, { ids: [...numbers(at), 'x', 'x', ...numbers(300)] }, 'vLLM')).toThrow(message)
  const nested = { lists: [...numbers(at).map(() => [1]), [...numbers(500), 'x']] }
  expect(() => parseEvent(lists, nested, 'vLLM')).toThrow(`vLLM: lists[${at}][500]: expected a token id, got "x"`)
  const wrong = { ...byName(at), here: 'x', ...Object.fromEntries(numbers(300).map((each) => [`later${each}`, 'x'])) }
  expect(() => parseEvent(named, { named: wrong }, 'vLLM')).toThrow('vLLM: named.here: expected a token id, got "x"')
})

test('a million wrong entries are described as one', () => {
  const issues = ids.safeParse({ ids: Array.from({ length: 1_000_000 }, () => 'x') }).error?.issues
  expect(issues).toHaveLength(1)
  const names = named.safeParse({ named: Object.fromEntries(numbers(300_000).map((at) => [`n${at}`, 'x'])) }).error
    ?.issues
  expect(names).toHaveLength(1)
})

test('null, a missing list and what is none are told apart as before', () => {
  expect(parseEvent(ids, { ids: null }, 'vLLM')).toEqual({ ids: null })
  expect(parseEvent(ids, {}, 'vLLM')).toEqual({})
  expect(() => parseEvent(ids, { ids: 'none' }, 'vLLM')).toThrow('vLLM: ids: expected an array, got "none"')
})
