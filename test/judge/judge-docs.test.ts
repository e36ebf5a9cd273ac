import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CHAT_LOSSES } from '../../src/judge/conformance/chat/clients/compare.js'
import { CHAT_MODELS } from '../../src/judge/conformance/chat/clients/index.js'
import { LOSSES } from '../../src/judge/conformance/clients/compare.js'
import { MODELS } from '../../src/judge/conformance/clients/index.js'
import {
  CHAT_INVARIANTS,
  CHAT_PROFILES,
  MESSAGES_INVARIANTS,
  MESSAGES_PROFILES,
  PROFILES,
} from '../../src/judge/conformance/index.js'
import { MESSAGES_LOSSES } from '../../src/judge/conformance/messages/clients/compare.js'
import { MESSAGES_MODELS } from '../../src/judge/conformance/messages/clients/index.js'
import { expectGenerated } from '../docs/generated.js'

const page = readFileSync(new URL('../../docs/judge.md', import.meta.url), 'utf8')

test('docs/judge.md lists every rule of every client with its sentence', () => {
  const rows = [
    ...LOSSES.map(({ id, sentence }) => `| all | \`${id}\` | ${sentence} |`),
    ...Object.values(MODELS).flatMap(({ client, rules }) =>
      rules.map(({ id, sentence }) => `| ${client} | \`${id}\` | ${sentence.replaceAll('|', '\\|')} |`),
    ),
  ]
  const table = ['| client | rule | |', '|---|---|---|', ...rows].join('\n')
  expectGenerated('docs/judge.md', 'rules', table)
})

test('docs/judge.md lists every rule for Chat Completions with its sentence', () => {
  const rules = CHAT_INVARIANTS.filter(({ neededBy }) => neededBy.includes('chat'))
  const rows = rules.map(({ id, severity, sentence }) => `| \`${id}\` | ${severity} | ${sentence} |`)
  const table = ['| rule | | |', '|---|---|---|', ...rows].join('\n')
  expectGenerated('docs/judge.md', 'chat-rules', table)
})

test('docs/judge.md lists every rule for Messages with its sentence', () => {
  const rules = MESSAGES_INVARIANTS.filter(({ neededBy }) => neededBy.includes('messages'))
  const rows = rules.map(({ id, severity, sentence }) => `| \`${id}\` | ${severity} | ${sentence} |`)
  const table = ['| rule | | |', '|---|---|---|', ...rows].join('\n')
  expectGenerated('docs/judge.md', 'messages-rules', table)
})

test('docs/judge.md lists every rule of every client of Chat Completions with its sentence', () => {
  const rows = [
    ...CHAT_LOSSES.map(({ id, sentence }) => `| all | \`${id}\` | ${sentence} |`),
    ...Object.values(CHAT_MODELS).flatMap(({ client, rules }) =>
      rules.map(({ id, sentence }) => `| ${client} | \`${id}\` | ${sentence.replaceAll('|', '\\|')} |`),
    ),
  ]
  const table = ['| client | rule | |', '|---|---|---|', ...rows].join('\n')
  expectGenerated('docs/judge.md', 'chat-client-rules', table)
})

test('docs/judge.md lists every rule of every client of the Messages API with its sentence', () => {
  const rows = [
    ...MESSAGES_LOSSES.map(({ id, sentence }) => `| all | \`${id}\` | ${sentence} |`),
    ...Object.values(MESSAGES_MODELS).flatMap(({ client, rules }) =>
      rules.map(({ id, sentence }) => `| ${client} | \`${id}\` | ${sentence.replaceAll('|', '\\|')} |`),
    ),
  ]
  const table = ['| client | rule | |', '|---|---|---|', ...rows].join('\n')
  expectGenerated('docs/judge.md', 'messages-client-rules', table)
})

test('docs/judge.md names every profile, and the versions that the models were measured against', () => {
  for (const profile of [...PROFILES, ...CHAT_PROFILES, ...MESSAGES_PROFILES]) expect(page).toContain(`\`${profile}\``)
  const models = [...Object.values(MODELS), ...Object.values(CHAT_MODELS), ...Object.values(MESSAGES_MODELS)]
  for (const { versions } of models) {
    for (const version of Object.values(versions)) expect(page).toContain(version)
  }
})
