import { expect, test } from 'vitest'
import { codex } from './clients/codex.js'
import { runTool, scenarios } from './scenarios.js'
import { type Exchange, type InputItem, startServer } from './server.js'

const toEnd = { onText: () => {}, signal: new AbortController().signal }

// What the table says of Codex ("results in its own words") leaves open whether the results are in them.
test('Codex gives the model what its commands printed, each under its call_id', async () => {
  const [first, second] = await exchangesOf('two calls')
  const ids = (first?.events ?? []).flatMap((event) =>
    event.type === 'response.output_item.done' && event.item.type === 'function_call' ? [event.item.call_id] : [],
  )
  const outputs = outputsIn(second, 'function_call_output')
  expect(outputs.map((item) => item['call_id']).sort()).toEqual(ids.sort())
  const words = outputs.map(({ output }) => String(output))
  for (const city of ['Oslo', 'Rome']) {
    expect(words.filter((output) => output.includes(runTool('get_weather', { city })))).toHaveLength(1)
  }
})

test('Codex tells the model that a patch was applied', async () => {
  const [, second] = await exchangesOf('custom tool')
  expect(outputsIn(second, 'custom_tool_call_output')).toMatchObject([{ output: expect.stringContaining('hello.py') }])
})

async function exchangesOf(name: string): Promise<readonly Exchange[]> {
  const scenario = scenarios.find((one) => one.name === name) ?? expect.unreachable(name)
  const worded = codex.wording?.(scenario) ?? scenario
  const server = await startServer({ plays: [worded] })
  try {
    await codex.play(worded, server.baseURL, toEnd)
    return server.exchanges
  } finally {
    await server.close()
  }
}

function outputsIn(exchange: Exchange | undefined, type: string): InputItem[] {
  const input = exchange?.body.input ?? []
  return typeof input === 'string' ? [] : input.filter((item) => item.type === type)
}
