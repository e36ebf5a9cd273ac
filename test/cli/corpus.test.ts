import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { run } from '../../src/cli/run.js'
import type { CorpusLine } from '../../src/conformance/corpus/line.js'
import { checkEvents, PROFILES } from '../../src/conformance/index.js'
import { fakeIo, realFolder } from './io.js'

describe('harmony-responses corpus', () => {
  const io = realFolder()
  let lines: CorpusLine[]

  beforeAll(async () => {
    expect(await run(['corpus', 'out/'], io)).toBe(0)
    lines = (io.written['out/streams.jsonl'] as string)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  })

  test('it writes good and damaged streams of every family, and says how many', () => {
    const about = JSON.parse(io.written['out/corpus.json'] as string)
    expect(about).toMatchObject({ corpus: 1, package: 'harmony-responses 1.2.3', profiles: [...PROFILES] })
    expect(about.good + about.damaged).toBe(lines.length)
    expect(about.good).toBeGreaterThanOrEqual(40)
    expect(Object.keys(about.families).length).toBeGreaterThanOrEqual(18)
    expect(about.damaged).toBeGreaterThan(300)
    expect(io.out).toContain(`${about.good} good and ${about.damaged} damaged streams`)
  })

  test('every line is as the schema says', () => {
    const validate = new Ajv2020({ strict: false }).compile(JSON.parse(io.written['out/schema.json'] as string))
    for (const line of lines) expect(validate(line) ? [] : validate.errors).toEqual([])
    expect(validate({ ...lines[0], corpus: 2 })).toBe(false)
  })

  test('ids are unique, and no stream is as long as to hide what is wrong with it', () => {
    expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length)
    for (const { events, family } of lines) expect(family === null || events.length < 600).toBe(true)
  })

  test('what a line says of its stream is what the judge says', () => {
    for (const { events, says } of lines.filter((_, at) => at % 29 === 0)) {
      for (const profile of PROFILES) {
        const errors = checkEvents(events, { profile }).filter(({ severity }) => severity === 'error')
        expect(says[profile].ok).toBe(errors.length === 0)
      }
    }
  })

  test('no server is at fault in a good stream', () => {
    for (const { id, family, says } of lines) {
      if (family !== null) continue
      // Open Responses knows fewer items than OpenAI has.
      const faults = PROFILES.filter((profile) => profile !== 'open-responses')
        .flatMap((profile) => says[profile])
        .flatMap(({ errors }) => errors.filter(({ fault }) => fault === 'server'))
      expect([id, faults]).toEqual([id, []])
    }
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
