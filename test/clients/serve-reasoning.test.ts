import { Agent, OpenAIResponsesModel, Runner } from '@openai/agents'
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { serve } from '../cli/served.js'
import { codexConfig, playCodex } from './clients/codex.js'

const SCRIPT = JSON.stringify([[{ think: 'Rain is likely.' }, { answer: 'It rains.' }]])

/** The URL of `serve` as it is started without a word about reasoning. */
async function served(): Promise<string> {
  const { url } = await serve(['--script', 'turns.json'], { readFile: async () => SCRIPT })
  return `${url}/v1`
}

test('codex exec shows the reasoning of a model that serve serves with its defaults', async () => {
  const played = await playCodex(codexConfig(await served()), {
    onText: () => {},
    signal: new AbortController().signal,
  })
  expect(played).toMatchObject({ reasoning: 'Rain is likely.', text: ['It rains.'], ending: 'completed' })
})

test('the Agents SDK shows the reasoning of serve with its defaults if it asks for a summary', async () => {
  const openai = new OpenAI({ baseURL: await served(), apiKey: 'none', maxRetries: 0 })
  const agent = new Agent({
    name: 'agent',
    model: new OpenAIResponsesModel(openai as never, 'gpt-oss'),
    modelSettings: { reasoning: { summary: 'auto' } },
  })
  const run = await new Runner({ tracingDisabled: true }).run(agent, 'Will it rain?')
  const shown = run.newItems.flatMap((item) => (item.type === 'reasoning_item' ? item.rawItem.content : []))
  expect(shown.map(({ text }) => text)).toEqual(['Rain is likely.'])
  expect(run.finalOutput).toBe('It rains.')
})
