import type { AnyProfile } from '../judge/conformance/profiles.js'
import { type Command, defineCommand } from './command.js'

export const check: Command = defineCommand({
  name: 'check',
  operand: { value: 'FILE', isRepeated: true },
  summary: 'checks captured streams of any server',
  help: [
    'Reads server-sent events, JSON, HAR, and what curl -i or -v prints; standard input (-) as it arrives.',
    `Exit codes: 0 all streams are correct (there may be warnings), 1 a stream breaks a rule or breaks off, 2 wrong usage, an
unreadable file, or no stream in it.`,
  ],
  options: {
    profile: {
      takes: 'word',
      about: 'the rules that the streams are checked by',
      words: {
        openai: "what OpenAI's streams always do",
        'open-responses': 'what Open Responses requires',
        'client:openai': "what OpenAI's client requires",
        'client:openai-python': "what OpenAI's client for Python requires",
        'client:ai-sdk': 'what the AI SDK requires',
        'client:openai-agents': "what OpenAI's Agents SDK requires",
        'client:langchain': 'what LangChain requires',
        'client:codex': 'what Codex requires',
        chat: "what OpenAI's streams of Chat Completions always do",
        'chat:openai': "what OpenAI's client requires of them",
        'chat:openai-python': "what OpenAI's client for Python requires of them",
        'chat:ai-sdk': 'what the AI SDK requires of them',
        messages: "what Anthropic's streams of the Messages API always do",
        'messages:anthropic': "what Anthropic's client requires of them",
        'messages:ai-sdk': 'what the AI SDK requires of them',
        'messages:langchain': 'what LangChain requires of them',
      } satisfies Readonly<Record<AnyProfile, string>>,
    },
    resumed: { takes: 'nothing', about: 'the streams begin where a client resumed them with `starting_after`' },
    json: { takes: 'nothing', about: 'prints one line of JSON per file' },
  },
  async run(values, files, io) {
    const { checkFiles } = await import('./check.js')
    return checkFiles(values, files, io)
  },
})
