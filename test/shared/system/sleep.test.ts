import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { within } from '../../../src/shared/system/sleep.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('work that is done in time leaves no timer that a process would wait for', async () => {
  expect(await within(5000, Promise.resolve('done'))).toBe('done')
  expect(vi.getTimerCount()).toBe(0)
})

test('work that fails in time fails, and leaves no timer either', async () => {
  await expect(within(5000, Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(vi.getTimerCount()).toBe(0)
})

test('work that takes too long has no result', async () => {
  const late = within(5000, new Promise(() => {}))
  await vi.advanceTimersByTimeAsync(4999)
  expect(vi.getTimerCount()).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(await late).toBeUndefined()
})
