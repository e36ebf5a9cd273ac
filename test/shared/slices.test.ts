import { expect, test } from 'vitest'
import { loadTokenTable } from '../../src/core/tokens/load-token-table.js'
import { renderPrompt } from '../../src/endpoint/prompt/render-prompt.js'
import { createTextCache } from '../../src/endpoint/prompt/text-cache.js'
import { atOnce, createPace, createWork, type Slices, withPauses } from '../../src/shared/slices.js'

function* sum(count: number, slice: number): Slices<number> {
  const work = createWork(slice)
  let total = 0
  for (let at = 0; at < count; at++) {
    total += at
    if (--work.left <= 0) yield* work.pause()
  }
  return total
}

test('slices give the same at once and with pauses, and pause as often as the work is due', async () => {
  let pauses = 0
  const pause = async (): Promise<void> => void pauses++
  expect(atOnce(sum(100, 30))).toBe(4950)
  expect(await withPauses(sum(100, 30), pause)).toBe(4950)
  expect(pauses).toBe(3)
})

test('slices end at the pause in which their signal aborts', async () => {
  const leaving = new AbortController()
  let pauses = 0
  const pause = async (): Promise<void> => {
    pauses += 1
    if (pauses === 2) leaving.abort(new Error('left'))
  }
  await expect(withPauses(sum(1000, 10), pause, leaving.signal)).rejects.toThrow('left')
  expect(pauses).toBe(2)
})

test('a pace waits only where a pause is due', async () => {
  let pauses = 0
  const pace = createPace(async () => void pauses++)
  expect(pace(1)).toBeUndefined()
  await pace(1_000_000)
  expect(pauses).toBe(1)
  expect(pace(1)).toBeUndefined()
})

test('a text that another owner sent is encoded again, so that nobody learns by the time whether it was known', () => {
  const known = createTextCache(1_000_000)
  const text = 'Our secret plan. '.repeat(100)
  const ids = Uint32Array.of(1, 2, 3)
  known.of('ann').add(text, () => ids)
  expect(known.of('bob').find(text)).toBeUndefined()
  expect(known.find(text)).toBeUndefined()
  expect(known.of('ann').find(text)).toEqual(ids)
  known.of('bob').add(text, () => ids)
  for (const owner of ['ann', 'bob']) expect(known.of(owner).find(text)).toEqual(ids)
  for (let count = 0; count < 100; count++) known.of(`owner ${count}`).add(text, () => ids)
  expect(known.of('ann').find(text)).toBeUndefined()
  expect(known.of('owner 99').find(text)).toEqual(ids)
})

test('the texts that are kept encoded are those used last, within their limit, and change no prompt', async () => {
  const tokenTable = await loadTokenTable()
  const known = createTextCache(20_000)
  const encoded: string[] = []
  const counted = {
    find: known.find,
    add: (text: string, ids: () => Uint32Array) =>
      known.add(text, () => {
        encoded.push(text)
        return ids()
      }),
  }
  const prompt = (name: string, options: object = {}): number[] => {
    const request = { input: 'Hi', instructions: `${name} ${'says this. '.repeat(100)}` }
    return [...renderPrompt(request, { tokenTable, date: '2026-01-31', ...options }).tokens]
  }
  for (const name of ['Alice', 'Alice', 'Bob', 'Alice', 'Carol', 'Dave', 'Erin', 'Frank', 'Alice', 'Bob']) {
    expect(prompt(name, { known: counted })).toEqual(prompt(name))
  }
  const names = encoded.flatMap((text) => /Alice|Bob|Carol|Dave|Erin|Frank/.exec(text) ?? [])
  // Each takes 3 kB: when the fourth came after Alice, she had been used before Bob was.
  expect(names.filter((name) => name === 'Alice')).toHaveLength(1)
  expect(names.filter((name) => name === 'Bob')).toHaveLength(2)
})
