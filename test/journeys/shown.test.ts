import { expect, test } from 'vitest'
import { hasShown } from './shown.js'

const PRINTED = 'listens on port 3000\nno key\n\nget_weather {"city":"Oslo"}\ndone\n'

test.each([
  PRINTED,
  'listens on port 3000\n...\n',
  '...\ndone\n',
  'listens on port ...\n...\nget_weather {...}\ndone\n',
  '...\nno key\n...\n',
])('a page may show of the output %j', (shown) => {
  expect(hasShown(PRINTED, shown)).toBe(true)
})

test.each(['\u2028', '\u2029', '\r', '\u0085'])('`...` stands for any character within a line: %j', (character) => {
  expect(hasShown(`a ${character} b\n${character}\nc\n`, 'a ... b\n...\nc\n')).toBe(true)
})

test.each([
  'listens on port 3000\n',
  'done\n',
  '...\ndone\n...\nno key\n...\n',
  'listens on port 3000\n...\nget_weather\n...\n',
  '...\nget.weather {...}\n...\n',
  '...\nno key\nget_weather {...}\n...\n',
])('a page does not show the output of %j', (shown) => {
  expect(hasShown(PRINTED, shown)).toBe(false)
})
