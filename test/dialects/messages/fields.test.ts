import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { fromMessagesRequest } from '../../../src/dialects/index.js'
import { MESSAGES_FIELDS } from '../../../src/dialects/messages/fields.js'
import { expectGenerated } from '../../docs/generated.js'
import { declaredType, propertiesOf } from '../../support/declared-type.js'

const sdk = dirname(createRequire(import.meta.url).resolve('@anthropic-ai/sdk'))
const parameters = new Set(
  ['messages/messages', 'beta/messages/messages'].flatMap((file) => [
    ...propertiesOf(declaredType(join(sdk, `resources/${file}.d.ts`), 'MessageCreateParamsBase')),
  ]),
)
/** The list of beta features is a header. */
parameters.delete('betas')

const user = { role: 'user', content: 'Hi' }

test('every parameter of the SDK has a line in the table of fields, and the table has no other', () => {
  const theirs = Object.entries(MESSAGES_FIELDS).filter(([, { sentBy }]) => sentBy === undefined)
  expect(theirs.map(([name]) => name).sort()).toEqual([...parameters].sort())
})

test.each(Object.entries(MESSAGES_FIELDS).filter(([, { support }]) => support === 'ignored'))(
  '%s, which is ignored, may be anything, and changes nothing',
  (name) => {
    const { request } = fromMessagesRequest({ messages: [user] })
    for (const value of [null, 'x', -1, [null], { a: 1 }]) {
      expect(fromMessagesRequest({ messages: [user], [name]: value }).request).toEqual(request)
    }
  },
)

test.each(Object.entries(MESSAGES_FIELDS).filter(([, { support }]) => support === 'refused'))(
  '%s is refused by name',
  (name) => {
    expect(() => fromMessagesRequest({ messages: [user], [name]: { id: 'x' } })).toThrow(name)
  },
)

test('docs/messages.md has the table of parameters as the code has it', () => {
  const rows = Object.entries(MESSAGES_FIELDS)
    .sort()
    .map(([name, { support, does, sentBy }]) => {
      const who = sentBy === undefined ? '' : ` Sent by ${sentBy}.`
      return `| \`${name}\` | *${support}*: ${does}.${who} |`
    })
  const table = ['| parameter | what happens |', '|---|---|', ...rows].join('\n')
  expectGenerated('docs/messages.md', 'parameters', table)
})
