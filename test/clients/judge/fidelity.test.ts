import { afterAll, describe, expect, test } from 'vitest'
import { MODELS } from '../../../src/conformance/clients/index.js'
import { codexReplayer } from './codex.js'
import { drawDamages } from './draw.js'
import { langchainReplayer } from './langchain.js'
import { infidelity, predicted } from './outcomes.js'
import { bodyOf, type Replayer } from './replay.js'
import { capturedStreams, fixtureStreams } from './streams.js'

// Whether the models show what the clients show, verdicts aside: where a prediction is wrong, this says whose fault it is.
// JUDGE_RUNS and JUDGE_SEED draw more and others, as in judge.test.ts.

const seed = Number(process.env['JUDGE_SEED'] ?? 1)
const runs = process.env['JUDGE_RUNS']

/** A run of Codex takes half a second. */
const CLIENTS: readonly { replayer: Replayer; client: string; sample: number; share: number }[] = [
  { client: 'langchain', replayer: langchainReplayer(), sample: 300, share: 1 },
  { client: 'codex', replayer: codexReplayer(), sample: 12, share: 0.2 },
]

afterAll(async () => {
  for (const { replayer } of CLIENTS) await replayer.close?.()
})

describe.each(CLIENTS)('$client', ({ replayer, sample, share }) => {
  test('shows of damaged streams what its model says', { timeout: 0 }, async () => {
    const streams = runs === undefined ? fixtureStreams() : [...fixtureStreams(), ...capturedStreams()]
    const count = runs === undefined ? sample : Math.ceil(Number(runs) * share)
    const wrong: string[] = []
    for (const { kind, stream, at, events } of drawDamages(streams, count, seed)) {
      const fields = infidelity(predicted(MODELS[replayer.client], events), await replayer.replay(bodyOf(events)))
      if (fields.length > 0) wrong.push(`${kind}, ${stream.name}, event ${at}: ${fields.join(', ')}`)
    }
    // Half a percent may be wrong of many; of a sample that CI plays, none.
    expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(Math.floor(count * 0.005))
  })
})
