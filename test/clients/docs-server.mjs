// An MCP server over standard input and output with one tool, for clients that run theirs themselves.

import { createInterface } from 'node:readline'

const LOOKUP = {
  name: 'lookup',
  description: 'Looks a word up.',
  inputSchema: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
  annotations: { readOnlyHint: true },
}

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'docs', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [LOOKUP] }),
  'tools/call': ({ arguments: { q } }) => ({ content: [{ type: 'text', text: `${q} is 42` }] }),
}

createInterface(process.stdin).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const answer = ANSWERS[method]
  const said = answer === undefined ? { error: { code: -32601, message: method } } : { result: answer(params ?? {}) }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...said })}\n`)
})
