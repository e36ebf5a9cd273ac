import { type Command, defineCommand } from './command.js'

export const check: Command = defineCommand({
  name: 'check',
  operands: 'FILE...',
  summary: 'checks captured streams of any server',
  help: `Reads server-sent events, JSON, HAR, and what curl -i or -v prints; standard input (-) as it arrives.

  --profile openai          what OpenAI's streams always do (default)
            open-responses  what Open Responses requires
            client:NAME     what a client requires: openai, ai-sdk, openai-agents, langchain, codex
            chat            what OpenAI's streams of Chat Completions always do
            chat:NAME       what a client of Chat Completions requires: openai, ai-sdk
            messages        what Anthropic's streams of the Messages API always do
            messages:NAME   what a client of the Messages API needs: anthropic, ai-sdk, langchain
  --resumed                 the streams begin where a client resumed them with starting_after
  --json                    prints one line of JSON per file
  --help

Exit codes: 0 all streams are correct (there may be warnings), 1 a stream breaks a rule or breaks off, 2 wrong usage, an
unreadable file, or no stream in it.
`,
  options: {
    profile: { type: 'string', default: 'openai' },
    resumed: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
  async run(values, files, io) {
    const { checkFiles } = await import('./check.js')
    return checkFiles(values, files, io)
  },
})
