import { expect, test } from 'vitest'
import { loadProgress } from '../../../../src/cli/serve/engines/load-progress.js'

function shownOf(shares: readonly number[], hasColors: boolean): string {
  let shown = ''
  const progress = loadProgress('a\u001b.gguf', {
    screen: { columns: 80, hasColors },
    complain: (text) => {
      shown += text
    },
  })
  for (const share of shares) progress(share)
  return shown
}

test('a terminal overwrites its line, and ends it when the model is loaded', () => {
  expect(shownOf([0, 0.001, 0.5, 0.5, 1, 1], true)).toBe(
    '\rloads a\\u001b.gguf: 0 %\rloads a\\u001b.gguf: 50 %\rloads a\\u001b.gguf: 100 %\n',
  )
})

test('elsewhere there is a line for each quarter', () => {
  const shares = Array.from({ length: 1001 }, (_, index) => index / 1000)
  expect(shownOf(shares, false).trimEnd().split('\n')).toEqual(
    [0, 25, 50, 75, 100].map((percent) => `loads a\\u001b.gguf: ${percent} %`),
  )
})
