import type { PolicyName } from '../index.js'
import { type Command, defineCommand } from './command.js'

export const replay: Command = defineCommand({
  name: 'replay',
  operand: { value: 'FILE' },
  summary: 'translates a token fixture',
  help: [
    '',
    `A fixture or its request overrides these defaults, and an option overrides both. The same file always gives the same
output: ids derive from the fixture's name, times from its created_at. A timeline is as wide as the terminal, or as
COLUMNS.

Exit codes: 0 translated, 1 not a valid token fixture, 2 wrong usage or an unreadable file.`,
  ],
  options: {
    format: {
      takes: 'word',
      about: 'what is printed',
      words: {
        jsonl: 'one event per line',
        sse: 'the frames that a server would send',
        timeline: 'tokens and events side by side',
      },
    },
    policy: {
      takes: 'word',
      about: 'what becomes of calls to undeclared tools',
      isOptional: true,
      words: {
        openai: 'a function call (default)',
        agents: 'an MCP call that failed',
        vllm: 'an MCP call that waits for its result',
        'functions-only': 'a function call, as all others',
      } satisfies Readonly<Record<PolicyName, string>>,
    },
    calls: {
      takes: 'word',
      about: "when the client's calls are announced",
      words: { live: 'at once', whole: 'once their arguments are complete' },
    },
    reasoning: {
      takes: 'word',
      about: 'how reasoning is shown',
      isOptional: true,
      words: {
        raw: 'as reasoning text (default, unless the request asks for a summary)',
        summary: 'as a summary, which every client shows',
        both: 'both ways',
        hidden: 'without its text',
      },
    },
    citations: { takes: 'nothing', about: 'turns citation marks into annotations' },
    dialect: {
      takes: 'word',
      about: 'the format of the events',
      words: { openai: "OpenAI's", 'open-responses': 'that of Open Responses', vllm: "vLLM's" },
    },
  },
  async run(values, [file], io) {
    const { replayFile } = await import('./replay-file.js')
    return replayFile(values, file, io)
  },
})
