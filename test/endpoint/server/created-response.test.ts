import { expect, test } from 'vitest'
import { createdResponse } from '../../../src/endpoint/server/service/running/running-response.js'

test('events that do not begin a response are refused where they are read, and not later as a missing response', () => {
  expect(() => createdResponse([])).toThrow('a response without response.created')
})
