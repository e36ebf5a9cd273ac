import { type Command, defineCommand } from './command.js'

export const replay: Command = defineCommand({
  name: 'replay',
  operands: 'FILE',
  summary: 'translates a token fixture',
  help: `  --format jsonl            one event per line (default)
           sse              the frames that a server would send
           timeline         tokens and events side by side
  --policy openai           a call to an undeclared tool becomes a function call (default)
           agents           ... an MCP call that failed
           vllm             ... an MCP call that waits for its result
           functions-only   every call becomes a function call
  --calls  live             announces the client's calls at once (default)
           whole            ... once their arguments are complete
  --reasoning raw           shows reasoning as reasoning text (default, unless the request asks for a summary)
              summary       ... as a summary, which every client shows
              both          ... both ways
              hidden        ... without its text
  --citations               turns citation marks into annotations
  --dialect openai          events in OpenAI's format (default)
            open-responses  ... in that of Open Responses
            vllm            ... in that of vLLM
  --help

A fixture or its request overrides these defaults, and an option overrides both. The same file always
gives the same output: ids derive from the fixture's name, times from its created_at. A timeline is as wide as the
terminal, or as COLUMNS.

Exit codes: 0 translated, 1 not a valid token fixture, 2 wrong usage or an unreadable file.
`,
  options: {
    format: { type: 'string', default: 'jsonl' },
    policy: { type: 'string' },
    calls: { type: 'string', default: 'live' },
    reasoning: { type: 'string' },
    citations: { type: 'boolean', default: false },
    dialect: { type: 'string', default: 'openai' },
  },
  async run(values, operands, io) {
    const { replayFile } = await import('./replay-file.js')
    return replayFile(values, operands, io)
  },
})
