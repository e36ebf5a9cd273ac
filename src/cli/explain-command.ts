import { type Command, defineCommand } from './command.js'

export const explain: Command = defineCommand({
  name: 'explain',
  operands: 'FILE',
  summary: 'shows how each client reads a captured stream',
  help: `Reads streams of the Responses API, of Chat Completions (clients: openai and ai-sdk), and of the Messages API
(anthropic, ai-sdk and langchain).

  --client NAME  openai, ai-sdk, openai-agents, langchain, codex or anthropic (default: each of the API)
  --help

Exit codes: 0 no client loses anything, 1 a client does, 2 wrong usage, an unreadable file, or no stream in it.
`,
  options: { client: { type: 'string' } },
  async run({ client }, operands, io) {
    const { explainFile } = await import('./explain.js')
    return explainFile(client, operands, io)
  },
})
