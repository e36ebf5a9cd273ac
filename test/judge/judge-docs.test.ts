import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CHAT_MODELS } from '../../src/judge/conformance/chat/clients/index.js'
import { MODELS } from '../../src/judge/conformance/clients/index.js'
import { MESSAGES_MODELS } from '../../src/judge/conformance/messages/clients/index.js'
import { ALL_PROFILES } from '../../src/judge/conformance/profiles.js'
import { expectGenerated } from '../docs/generated.js'
import { clientRuleTable, ruleTable } from './rule-tables.js'

const page = readFileSync(new URL('../../docs/judge.md', import.meta.url), 'utf8')

test.each([
  ['responses', 'openai-rules', 'rules'],
  ['chat', 'chat-rules', 'chat-client-rules'],
  ['messages', 'messages-rules', 'messages-client-rules'],
] as const)(
  'docs/judge.md lists every rule for %s, of the API and of its clients, with its sentence',
  (api, own, clients) => {
    expectGenerated('docs/judge.md', own, ruleTable(api))
    expectGenerated('docs/judge.md', clients, clientRuleTable(api))
  },
)

test('docs/judge.md names every profile, and the versions that the models were measured against', () => {
  for (const profile of ALL_PROFILES) expect(page).toContain(`\`${profile}\``)
  const models = [...Object.values(MODELS), ...Object.values(CHAT_MODELS), ...Object.values(MESSAGES_MODELS)]
  for (const { versions } of models) {
    for (const version of Object.values(versions)) expect(page).toContain(version)
  }
})
