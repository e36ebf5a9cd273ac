import { writeFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { CLIENTS } from '../../../src/conformance/index.js'
import { type Measured, measure, precision, recall } from './measure.js'
import { replayers } from './replayers.js'
import { capturedStreams, fixtureStreams, generatedStreams, type NamedStream } from './streams.js'
import { markdownOf, reportOf } from './table.js'

// The judge beside the real clients: what it says breaks them, and what does. `npm run test:judge` plays thousands of
// damages for each client; without JUDGE_RUNS it is a sample. JUDGE_SEED draws others, JUDGE_CLIENTS names some clients
// alone, and JUDGE_OUTPUT is the beginning of the names of files for the result: .md for docs/judge.md, .json, .txt.

const env = (name: string): string | undefined => process.env[name] || undefined
const seed = Number(env('JUDGE_SEED') ?? 1)
const runs = env('JUDGE_RUNS')
const only = env('JUDGE_CLIENTS')?.split(',')
const output = env('JUDGE_OUTPUT')
const measured: Measured[] = []

/** Of 100 damages that break a client, so many are found, and of 100 that are said to, so many do. */
const TARGET = 0.97

/** A run of a process costs as much as a hundred of a library. */
const runsOf = (client: string): number => {
  if (client === 'codex') return runs === undefined ? 30 : Math.ceil(Number(runs) / 4)
  return runs === undefined ? 400 : Number(runs)
}

/** What a sample can play: of the captured streams, every so many. */
function streamsOf(client: string): readonly NamedStream[] {
  if (runs !== undefined) return [...fixtureStreams(), ...generatedStreams(100, seed), ...capturedStreams()]
  const every = client === 'codex' ? 12 : 8
  const all = [...fixtureStreams(), ...generatedStreams(24, seed), ...capturedStreams()]
  return all.filter((_, at) => (client !== 'codex' && at < 40) || at % every === seed % every)
}

test('all that are played are clients that profiles are about', () => {
  expect(CLIENTS).toEqual(expect.arrayContaining(replayers.map(({ client }) => client)))
})

describe.each(replayers.filter(({ client }) => only?.includes(client) ?? true))('client:$client', (replayer) => {
  test('is predicted to break where it breaks, and accused of nothing else', { timeout: 0 }, async () => {
    try {
      const result = await measure(replayer, streamsOf(replayer.client), runsOf(replayer.client), seed)
      measured.push(result)
      const report = reportOf([result])
      expect(recall(result), report).toBeGreaterThanOrEqual(TARGET)
      expect(precision(result), report).toBeGreaterThanOrEqual(TARGET)
      expect(result.genuineAccused, report).toBe(0)
      expect(result.genuineMissed, report).toBe(0)
    } finally {
      await replayer.close?.()
    }
  })
})

afterAll(() => {
  console.log(reportOf(measured, runs === undefined ? 5 : 25))
  if (output === undefined) return
  writeFileSync(`${output}.md`, `${markdownOf(measured)}\n`)
  writeFileSync(`${output}.txt`, `${reportOf(measured, Number.POSITIVE_INFINITY)}\n`)
  writeFileSync(`${output}.json`, `${JSON.stringify({ seed, measured }, null, 2)}\n`)
})
