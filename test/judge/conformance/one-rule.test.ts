import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runInThisContext } from 'node:vm'
import { build } from 'esbuild'
import { beforeAll, expect, test } from 'vitest'
import type { Violation } from '../../../src/judge/conformance/index.js'
import { BASES as CHUNKS } from './chat/streams.js'
import { BASES } from './invariants/streams.js'
import { BASES as MESSAGES } from './messages/streams.js'

// CONTRIBUTING.md promises that a rule is written in one place: each API gets one here, by the text of one file alone.

const folder = fileURLToPath(new URL('../../../src/judge/conformance/', import.meta.url))

const RULES = {
  responses: {
    file: 'invariants/wire.ts',
    id: 'planted',
    sentence: 'No delta is "".',
    cause: 'no-empty-delta',
    check: "event({ delta }, _state, report) { if (delta === '') report('a text', delta) }",
  },
  chat: {
    file: 'chat/invariants/usage.ts',
    id: 'chat-planted',
    sentence: 'The tokens are seven in total.',
    cause: 'chat-usage-adds-up',
    check: "chunk({ usage }, _state, report) { if (usage?.total_tokens === 8) report('seven tokens', 8) }",
  },
  messages: {
    file: 'messages/invariants/end.ts',
    id: 'messages-planted',
    sentence: 'An answer does not end at a stop sequence.',
    cause: 'messages-stop-sequence',
    check: "event({ delta }, _state, report) { if (delta?.stop_sequence) report('no stop sequence', delta) }",
  },
} as const

type Api = keyof typeof RULES

/** What the bundle of the judge with the rules exports. */
interface Judge {
  checkEvents(events: readonly object[], options: object): Violation[]
  reportOn(
    events: readonly object[],
    options: object,
  ): {
    readonly causes: readonly {
      readonly lead: Violation
      readonly consequences: readonly { readonly first: readonly Violation[] }[]
    }[]
  }
  sentenceOf(id: string): string | undefined
  ruleTable(api: Api): string
}

/** The text of a file of rules with one more at its beginning. */
function withRule({ file, id, sentence, cause, check }: (typeof RULES)[Api]): string {
  const written = `{ id: '${id}', sentence: '${sentence}', causes: { event: ['${cause}'] }, ${check} },`
  return readFileSync(folder + file, 'utf8').replace(/Rules\(\[\n/, (begin) => `${begin}${written}`)
}

let judge: Judge

beforeAll(async () => {
  const changed = new Map(Object.values(RULES).map((rule) => [folder + rule.file, withRule(rule)]))
  const { outputFiles } = await build({
    stdin: {
      contents: `
        export { checkEvents, reportOn } from './index.js'
        export { sentenceOf } from './report/rule-facts.js'
        export { ruleTable } from '../../../test/judge/rule-tables.js'`,
      resolveDir: folder,
    },
    plugins: [
      {
        name: 'plant',
        setup: ({ onLoad }) =>
          onLoad({ filter: /invariants/ }, ({ path }) => {
            const contents = changed.get(path)
            return contents === undefined ? undefined : { contents, loader: 'ts' }
          }),
      },
    ],
    bundle: true,
    format: 'iife',
    globalName: 'planted',
    write: false,
    logLevel: 'error',
  })
  judge = runInThisContext(`${outputFiles[0]?.text}; planted`)
})

const BY_API = { responses: BASES.answer(), chat: CHUNKS.text, messages: MESSAGES.text }

/** A stream that breaks the planted rule, by a mistake that breaks another, too. */
function broken(api: Api): object[] {
  // biome-ignore lint/suspicious/noExplicitAny: a damage reaches into any field.
  const events: any[] = structuredClone([...BY_API[api]])
  if (api === 'responses') events.find(({ type }) => type === 'response.output_text.delta').delta = ''
  if (api === 'chat') events.at(-1).usage.total_tokens = 8
  if (api === 'messages') events.at(-2).delta.stop_sequence = 'x'
  return events
}

test.each([
  ['responses', 'openai', 'client:codex'],
  ['chat', 'chat', 'chat:openai'],
  ['messages', 'messages', 'messages:anthropic'],
] as const)(
  'a rule for %s that is written in one file is checked, left out, explained and documented',
  (api, profile, client) => {
    const { id, sentence, cause } = RULES[api]
    const events = broken(api)
    const broke = (options: object): string[] => judge.checkEvents(events, options).map(({ rule }) => rule)
    expect(broke({ profile })).toContain(id)
    expect(broke({ profile, without: [id] })).not.toContain(id)
    expect(broke({ profile: client })).not.toContain(id)
    const followers = judge
      .reportOn(events, { profile })
      .causes.flatMap(({ lead, consequences }) => consequences.map(({ first }) => [first[0]?.rule, lead.rule]))
    expect(followers).toContainEqual([id, cause])
    expect(judge.sentenceOf(id)).toBe(sentence)
    expect(judge.ruleTable(api)).toContain(`| \`${id}\` | error | ${sentence} |`)
  },
)
