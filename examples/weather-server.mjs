// A small MCP server over stdio, for examples/agent.mjs: it knows the weather of three cities.
import { McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const WEATHER = { Oslo: '9 degrees and rain', Paris: '22 degrees and sun', Tokyo: '27 degrees and clouds' }

const server = new McpServer({ name: 'weather', version: '1.0.0' })

server.registerTool(
  'now',
  { description: 'The weather in a city right now.', inputSchema: z.object({ city: z.string() }) },
  async ({ city }) => {
    const isKnown = Object.hasOwn(WEATHER, city)
    const text = isKnown ? WEATHER[city] : `expected one of ${Object.keys(WEATHER).join(', ')}, got ${city}`
    return { content: [{ type: 'text', text }], isError: !isKnown }
  },
)

await server.connect(new StdioServerTransport())
