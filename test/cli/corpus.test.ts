import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { run } from '../../src/cli/run.js'
import { CHAT_PROFILES } from '../../src/judge/conformance/chat/invariant.js'
import type { CorpusLine } from '../../src/judge/conformance/corpus/line.js'
import { checkEvents, MESSAGES_PROFILES, PROFILES } from '../../src/judge/conformance/index.js'
import { describeSlow } from '../support/slow-suites.js'
import { fakeIo, realFolder } from './io.js'

const io = realFolder()
const written = (name: string): string => io.written[`out/${name}`] as string
const linesOf = (name: string): CorpusLine[] =>
  written(name)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

describeSlow('the corpora', () => {
  beforeAll(async () => {
    expect(await run(['corpus', 'out/'], io)).toBe(0)
  })

  describe.each([
    {
      api: 'Responses',
      file: 'streams.jsonl',
      schema: 'schema.json',
      profiles: PROFILES,
      // Open Responses knows fewer items than OpenAI has.
      held: PROFILES.filter((profile) => profile !== 'open-responses'),
      families: 18,
    },
    {
      api: 'Chat Completions',
      file: 'chat-streams.jsonl',
      schema: 'chat-schema.json',
      profiles: CHAT_PROFILES,
      held: CHAT_PROFILES,
      families: 15,
    },
    {
      api: 'Messages',
      file: 'messages-streams.jsonl',
      schema: 'messages-schema.json',
      profiles: MESSAGES_PROFILES,
      held: MESSAGES_PROFILES,
      families: 19,
    },
  ] as const)('a corpus of $api', ({ api, file, schema, profiles, held, families }) => {
    let lines: CorpusLine[]
    const verdict = (line: CorpusLine, profile: string): CorpusLine['says']['openai'] =>
      (line.says as Readonly<Record<string, CorpusLine['says']['openai']>>)[profile] as CorpusLine['says']['openai']

    beforeAll(() => {
      lines = linesOf(file)
    })

    test('it has good and damaged streams of every family, and says how many', () => {
      const all = JSON.parse(written('corpus.json'))
      expect(all).toMatchObject({ corpus: 2, package: 'harmony-responses 1.2.3' })
      const about = api === 'Responses' ? all : api === 'Messages' ? all.messages : all.chat
      expect(about.profiles).toEqual([...profiles])
      expect(about.good + about.damaged).toBe(lines.length)
      expect(about.good).toBeGreaterThanOrEqual(40)
      expect(Object.keys(about.families).length).toBeGreaterThanOrEqual(families)
      expect(about.damaged).toBeGreaterThan(api === 'Responses' ? 300 : 80)
      expect(io.out).toContain(`${about.good} good and ${about.damaged} damaged streams`)
    })

    test('every line is as the schema says', () => {
      const validate = new Ajv2020({ strict: false }).compile(JSON.parse(written(schema)))
      for (const line of lines) expect(validate(line) ? [] : validate.errors).toEqual([])
      expect(validate({ ...lines[0], corpus: 1 })).toBe(false)
      expect(validate({ ...lines[0], says: {} })).toBe(false)
    })

    test('its schema allows verdicts of profiles that later versions know, in the same form', () => {
      const validate = new Ajv2020({ strict: false }).compile(JSON.parse(written(schema)))
      const withLater = (verdict: unknown) => ({ ...lines[0], says: { ...lines[0]?.says, 'client:later': verdict } })
      expect(validate(withLater({ ok: true, errors: [] }))).toBe(true)
      expect(validate(withLater({ ok: 'yes', errors: [] }))).toBe(false)
    })

    test('every line is as the schema of commit 2a136fac says: readers of version 2 read it', () => {
      const earlier = readFileSync(new URL(`../earlier/2a136fac/corpus/${schema}`, import.meta.url), 'utf8')
      const validate = new Ajv2020({ strict: false }).compile(JSON.parse(earlier))
      for (const line of lines) expect(validate(line) ? [] : validate.errors).toEqual([])
    })

    test('readers of version 1, whose schema allows no further profile, can tell by the version; the rest is as it was', () => {
      const earlier = JSON.parse(readFileSync(new URL(`../earlier/960f501a/corpus/${schema}`, import.meta.url), 'utf8'))
      const validate = new Ajv2020({ strict: false, allErrors: true }).compile(earlier)
      const { required } = earlier.properties.says
      for (const line of lines) {
        expect(validate(line)).toBe(false)
        expect(validate.errors).toContainEqual(expect.objectContaining({ instancePath: '/corpus', keyword: 'const' }))
        const says = Object.fromEntries(Object.entries(line.says).filter(([profile]) => required.includes(profile)))
        expect(validate({ ...line, corpus: 1, says }) ? [] : validate.errors).toEqual([])
      }
    })

    test('ids are unique, and no stream is long enough to hide its fault', () => {
      expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length)
      for (const { events, family } of lines) expect(family === null || events.length < 600).toBe(true)
    })

    test('each line agrees with the judge', () => {
      for (const line of lines.filter((_, at) => at % 29 === 0)) {
        for (const profile of profiles) {
          const errors = checkEvents(line.events, { profile }).filter(({ severity }) => severity === 'error')
          expect(verdict(line, profile).ok).toBe(errors.length === 0)
        }
      }
    })

    test('every profile finds something wrong with some damaged streams, and nothing with others', () => {
      const damaged = lines.filter(({ family }) => family !== null)
      for (const profile of profiles) {
        const found = damaged.filter((line) => !verdict(line, profile).ok).length
        expect([profile, found > damaged.length / 10, found < damaged.length]).toEqual([profile, true, true])
      }
    })

    test('no server is at fault in a good stream', () => {
      for (const line of lines) {
        // No compatible provider of the AI SDK knows custom tools, however good the stream is.
        if (line.family !== null || (api === 'Chat Completions' && line.stream === 'fixture custom-tool')) continue
        const faults = held
          .flatMap((profile) => verdict(line, profile).errors)
          .filter(({ fault }) => fault === 'server')
        expect([line.id, faults]).toEqual([line.id, []])
      }
    })
  })
})

test('corpus without a folder is a wrong use, and one that cannot be written says why', async () => {
  const io = fakeIo()
  expect(await run(['corpus'], io)).toBe(2)
  expect(io.err).toContain('corpus: expected one folder, got 0')
  const closed = Object.assign(realFolder(), {
    writeFile: async () => {
      throw new Error('EACCES: permission denied')
    },
  })
  expect(await run(['corpus', 'out'], closed)).toBe(2)
  expect(closed.err).toContain('cannot write out/streams.jsonl: EACCES')
})
