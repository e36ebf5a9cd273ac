import { expect, test } from 'vitest'
import { deriveId } from '../../src/translate/ids.js'

// Recorded: ids are in snapshots and stored responses, so that the same arguments have to give the same id for ever.
test('the same arguments give the same id for ever', () => {
  expect(deriveId('msg', 0, 'resp_1')).toBe('msg_200c16b718b141ef00000000007fe02537242fdd09c50a4348')
  expect(deriveId('fc', 255, 'resp_0123456789abcdef')).toBe('fc_79bb9bc25584a1b500000000ff5fe14bda919d9b744ef68a14')
  expect(deriveId('call', 1, 'resp_1')).toBe('call_whr0lhom9dk8orc535nukdoa')
  expect(deriveId('call', 70000, 'resp_0123456789abcdef')).toBe('call_0bah6ilti0jtfl8nqap8q4s6')
  expect(deriveId('rs', 4294967295, 'r')).toBe('rs_2ba0138ecf0ea20900ffffffff3662c6f3677ea9dcb84f96c2')
})
