import { describe, expect, test } from 'vitest'
import { classifyRecipient } from '../../../src/core/recipients/classify.js'
import { declareTools } from '../../../src/core/recipients/declared-tools.js'
import { narrowToFormat } from '../../../src/core/recipients/format-classifier.js'
import { policies } from '../../../src/core/recipients/policy.js'
import type { ResponseRequest } from '../../../src/core/responses/request.js'
import { spell } from './spell.js'
import { fn } from './tools.js'

const tools = [fn('f')]

function spelled(text: ResponseRequest['text'], recipient: string | undefined, channel: string | undefined): string {
  const request: ResponseRequest = { tools, ...(text !== undefined && { text }) }
  const classify = narrowToFormat(request, (to, on) => classifyRecipient(to, on, declareTools(tools), policies.openai))
  return spell(classify(recipient, channel))
}

const JSON_FORMATS = [
  { format: { type: 'json_schema', name: 'n', schema: {} } },
  { format: { type: 'json_object' } },
] as const

describe.each(JSON_FORMATS)('where the answer has to be JSON: %j', (text) => {
  test.each([
    [undefined, 'final', 'message final_answer'],
    ['user', 'final', 'message final_answer'],
    [undefined, 'commentary', 'reasoning'],
    ['assistant', 'commentary', 'reasoning'],
    [undefined, undefined, 'reasoning'],
    [undefined, 'analysis', 'reasoning'],
    ['functions.f', 'commentary', 'function_call f'],
    ['functions.f', undefined, 'function_call f'],
    ['functions.f', 'final', 'function_call f'],
  ])('where the answer has to be JSON, a message to %s on channel %s is %s', (recipient, channel, expected) => {
    expect(spelled(text, recipient, channel)).toBe(expected)
  })
})

test.each([undefined, {}, { format: null }, { format: { type: 'text' } }] as const)(
  'where the answer may be any text, a format narrows nothing: %j',
  (text) => {
    expect(spelled(text, undefined, 'commentary')).toBe('message commentary')
    expect(spelled(text, undefined, undefined)).toBe('message final_answer')
  },
)
