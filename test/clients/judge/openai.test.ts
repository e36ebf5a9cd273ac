import { expect, test } from 'vitest'
import { infidelities } from './fidelity.js'
import { openaiReplayer } from './openai.js'

// JUDGE_RUNS plays more damages, JUDGE_SEED others.
const runs = Number(process.env['JUDGE_RUNS'] || 300)
const seed = Number(process.env['JUDGE_SEED'] || 1)

test('the model of the openai SDK shows what the SDK shows, of good streams and damaged ones', {
  timeout: 0,
}, async () => {
  const { played, wrong } = await infidelities(openaiReplayer, { runs, seed })
  expect(wrong.length / played, wrong.join('\n')).toBeLessThan(0.005)
})
