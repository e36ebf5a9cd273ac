import { expect, test } from 'vitest'
import { infidelities } from './fidelity.js'
import { openaiAgentsReplayer } from './openai-agents.js'

// JUDGE_RUNS plays more damages, JUDGE_SEED others.
const runs = Number(process.env['JUDGE_RUNS'] || 300)
const seed = Number(process.env['JUDGE_SEED'] || 1)

test('the model of the Agents SDK shows what the SDK shows, of good streams and damaged ones', {
  timeout: 0,
}, async () => {
  const { played, wrong } = await infidelities(openaiAgentsReplayer, { runs, seed })
  expect(wrong.length / played, wrong.join('\n')).toBeLessThan(0.005)
})
