import { expect, test } from 'vitest'
import { CHAT_FIELDS } from '../../../src/dialects/chat/fields.js'
import { expectGenerated } from '../../docs/generated.js'
import { declaredType, propertiesOf } from '../../support/declared-type.js'
import { sdkTypes } from '../../support/openai-sdk.js'
import { refusalOf, user } from './cases.js'

const sdk = sdkTypes('resources/chat/completions/completions')
const parameters = propertiesOf(declaredType(sdk, 'ChatCompletionCreateParamsBase'))

test('every parameter of openai has a line in the table of fields', () => {
  expect([...parameters].filter((name) => !Object.hasOwn(CHAT_FIELDS, name))).toEqual([])
})

test.each(Object.entries(CHAT_FIELDS))('%s is a parameter of openai, or the table says who sends it', (name, field) => {
  expect(parameters.has(name)).toBe(field.sentBy === undefined)
})

test.each(Object.entries(CHAT_FIELDS).filter(([, { support }]) => support === 'ignored'))(
  '%s, which is ignored, may be anything',
  (name) => {
    for (const value of [null, 'x', -1, [null], { a: 1 }]) {
      expect(refusalOf({ messages: [user], [name]: value })).toBeUndefined()
    }
  },
)

test('docs/chat-completions.md has the table of parameters as the code has it', () => {
  const rows = Object.entries(CHAT_FIELDS)
    .sort()
    .map(([name, { support, does, sentBy }]) => {
      const who = sentBy === undefined ? '' : ` Sent by ${sentBy}.`
      return `| \`${name}\` | *${support}*: ${does}.${who} |`
    })
  const table = ['| parameter | what happens |', '|---|---|', ...rows].join('\n')
  expectGenerated('docs/chat-completions.md', 'parameters', table)
})
