// An agent: the model calls a tool of an MCP server, reads the result, and answers.
//
//     npm install && npm run build
//     node examples/agent.mjs

import { fileURLToPath } from 'node:url'
import { loadTokenTable } from 'harmony-responses'
import { respond } from 'harmony-responses/respond'
import { answer, call, scriptedEngine, think } from 'harmony-responses/testing'
import { mcpTools } from 'harmony-responses/tools/mcp'

const request = {
  input: 'Do I need an umbrella in Oslo?',
  tools: [{ type: 'mcp', server_label: 'weather', require_approval: 'never' }],
}

// A script plays the model here. Replace it with any engine: docs/engines.md.
const engine = scriptedEngine(({ messages }) => {
  const last = messages.at(-1)
  if (last.role !== 'tool') return [think('I need the weather in Oslo.'), call('weather.now', { city: 'Oslo' })]
  const advice = last.content.includes('rain') ? 'Yes, take an umbrella' : 'No, leave it at home'
  return [think('The server knows.'), answer(`${advice}: Oslo has ${last.content}.`)]
})

// The server is your own program. Only its label is read from the request.
const program = fileURLToPath(new URL('weather-server.mjs', import.meta.url))
const tools = mcpTools({ servers: { weather: { command: process.execPath, args: [program] } } })

console.log(`question:  ${request.input}`)
try {
  for await (const events of respond(request, { engine, tools: [tools], tokenTable: await loadTokenTable() })) {
    for (const event of events) show(event)
  }
} finally {
  await tools.close() // ends the server's process
}

/** Prints an event as it comes: reasoning, calls, results and the answer. */
function show({ type, delta, item, response }) {
  const print = (text) => process.stdout.write(text)
  if (type === 'response.output_item.added') {
    if (item.type === 'reasoning') print('reasoning: ')
    if (item.type === 'mcp_call') print(`call:      ${item.server_label}.${item.name} `)
    if (item.type === 'message') print('answer:    ')
  } else if (type.endsWith('.delta')) print(delta)
  else if (type === 'response.mcp_call_arguments.done') print('\n')
  else if (type === 'response.output_item.done') {
    if (item.type === 'mcp_call') print(`result:    ${item.output ?? JSON.stringify(item.error)}\n`)
    else if (item.type !== 'mcp_list_tools') print('\n')
  } else if (type === 'response.failed') {
    print(`failed:    ${response.error.message}\n`)
    process.exitCode = 1
  }
}
