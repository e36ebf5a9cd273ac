import { expect, test } from 'vitest'
import { codex, playWithMcp } from './clients/codex.js'
import { answer, call, runTool, scenario, scenarios, turn } from './scenarios.js'
import { type Exchange, type InputItem, startServer } from './server.js'

const toEnd = { onText: () => {}, signal: new AbortController().signal }

// The table's note on Codex ("results in its own words") does not check that the results are in those words.
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

test('Codex reports to the model that a patch was applied', async () => {
  const [, second] = await exchangesOf('custom tool')
  expect(outputsIn(second, 'custom_tool_call_output')).toMatchObject([{ output: expect.stringContaining('hello.py') }])
})

// Codex declares its MCP servers as namespaces, and answers only calls that name namespace and tool apart.
test.each(['mcp__docs.lookup', 'functions.mcp__docs.lookup'])(
  'Codex calls the tool of an MCP server of its own: %s',
  async (recipient) => {
    const asked = scenario('MCP server', [turn(call(recipient, '{"q":"life"}')), turn(answer('42.'))], {
      text: ['42.'],
    })
    const server = await startServer({ plays: [asked] })
    try {
      const played = await playWithMcp(asked, server.baseURL, toEnd)
      expect(played).toMatchObject({ text: ['42.'], ending: 'completed' })
      const [output] = outputsIn(server.exchanges[1], 'function_call_output')
      expect(JSON.stringify(output?.['output'])).toContain('life is 42')
      const calls = outputsIn(server.exchanges[1], 'function_call')
      expect(calls).toMatchObject([{ name: 'lookup', namespace: 'mcp__docs' }])
    } finally {
      await server.close()
    }
  },
)

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
