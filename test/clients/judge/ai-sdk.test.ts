import { expect, test } from 'vitest'
import { aiSdk } from '../../../src/conformance/clients/ai-sdk.js'
import { aiSdkReplayer } from './ai-sdk.js'
import { drawDamages } from './draw.js'
import { infidelity, predicted } from './outcomes.js'
import { bodyOf } from './replay.js'
import { fixtureStreams } from './streams.js'

// JUDGE_RUNS plays more of them.
const runs = Number(process.env['JUDGE_RUNS'] || 150)

test('the model shows of good and damaged streams what the AI SDK shows', { timeout: 0 }, async () => {
  const streams = fixtureStreams()
  const damaged = drawDamages(streams, runs, 1).map(({ kind, stream, events }) => ({
    name: `${stream.name}: ${kind}`,
    events,
  }))
  for (const { name, events } of [...streams, ...damaged]) {
    const outcome = await aiSdkReplayer.replay(bodyOf(events))
    expect(infidelity(predicted(aiSdk, events), outcome), name).toEqual([])
  }
})
