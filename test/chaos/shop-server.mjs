// The tools of the chaos as an MCP server: node shop-server.mjs LABEL SETTINGS, with those of `createTool` as JSON.

import { McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'
import { createTool } from './tools.mjs'

const [label, settings] = process.argv.slice(2)
const tool = createTool(JSON.parse(settings))
const { tools } = (await tool.listings()).find(({ serverLabel }) => serverLabel === label)
const server = new McpServer({ name: label, version: '1.0.0' })
for (const { name } of tools) {
  const annotations = { readOnlyHint: tool.isRepeatable({ name }) }
  server.registerTool(name, { inputSchema: z.object({ order: z.string() }), annotations }, async (given) => {
    const { output } = await tool.run({ name, arguments: JSON.stringify(given) })
    return { content: [{ type: 'text', text: output }] }
  })
}
await server.connect(new StdioServerTransport())
