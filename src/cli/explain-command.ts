import { type Command, defineCommand } from './command.js'
import type { AnyClient } from './explain.js'

export const explain: Command = defineCommand({
  name: 'explain',
  operand: { value: 'FILE' },
  summary: 'shows how each client reads a captured stream',
  help: [
    'Reads streams of the Responses API, of Chat Completions, and of the Messages API.',
    'Exit codes: 0 no client loses anything, 1 a client does, 2 wrong usage, an unreadable file, or no stream in it.',
  ],
  options: {
    client: {
      takes: 'word',
      about: 'the only client to explain; each of the API without it',
      isOptional: true,
      words: {
        openai: 'reads Responses and Chat Completions',
        'openai-python': 'reads Responses and Chat Completions',
        'ai-sdk': 'reads all three',
        'openai-agents': 'reads Responses',
        langchain: 'reads Responses and Messages',
        codex: 'reads Responses',
        anthropic: 'reads Messages',
      } satisfies Readonly<Record<AnyClient, string>>,
    },
  },
  async run({ client }, [file], io) {
    const { explainFile } = await import('./explain.js')
    return explainFile(client, file, io)
  },
})
