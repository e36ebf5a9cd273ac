import type { Profile } from '../judge/conformance/invariant.js'
import { type Command, defineCommand } from './command.js'

/** The scenarios of `src/judge/probe/`, as a test checks, and the names of their groups. */
const SCENARIOS: readonly string[] =
  `plain call call-whole two-tools parallel-calls tool-loop tool-choice json-schema strict-bodies long-reasoning truncation malformed-json
  missing-input wrong-types unknown-model unknown-previous previous-response resume cancel chat-text chat-reasoning chat-call
  chat-two-tools chat-json-schema chat-stop chat-length chat-usage chat-errors messages-text messages-thinking messages-call
  messages-parallel messages-format messages-stop messages-length messages-count messages-errors abort chat messages`.split(
    /\s+/,
  )

export const probe: Command = defineCommand({
  name: 'probe',
  operand: { value: 'URL' },
  summary: 'checks a live Responses server',
  help: [
    `URL is http://host:8000, with or without /v1, /v1/responses, /v1/chat/completions or /v1/messages.
docs/probe.md says what each scenario asks.`,
    'Exit codes: 0 no scenario fails, 1 a scenario fails, 2 wrong usage, or no server to check.',
  ],
  options: {
    model: {
      takes: 'text',
      value: 'NAME',
      about: 'the model to ask; without it the first that `GET /v1/models` lists, else `default`',
    },
    header: {
      takes: 'list',
      value: "'K: V'",
      about: 'sent with every request, and never printed: where the server repeats its value, `[hidden]` replaces it',
    },
    only: {
      takes: 'list',
      value: 'NAME',
      about: 'runs this scenario only, or all of Chat Completions (chat) or Messages (messages)',
      words: SCENARIOS,
    },
    profile: {
      takes: 'word',
      about: 'what streams are checked against, beside all clients',
      words: {
        openai: '',
        'open-responses': '',
        'client:openai': '',
        'client:openai-python': '',
        'client:ai-sdk': '',
        'client:openai-agents': '',
        'client:langchain': '',
        'client:codex': '',
      } satisfies Readonly<Record<Profile, string>>,
    },
    timeout: {
      takes: 'text',
      value: 'SECONDS',
      about: 'the longest silence, 60 seconds without it; a whole answer may take ten times as long',
    },
    json: { takes: 'nothing', about: 'prints one line of JSON instead of the table' },
    report: {
      takes: 'text',
      value: 'FILE',
      about:
        'also writes a report to pass on, as HTML (`.html`) or Markdown (`.md`): it has no text of the server or the model',
    },
    junit: { takes: 'text', value: 'FILE', about: 'also writes JUnit XML; `-` prints it instead of the table' },
  },
  async run(values, [url], io) {
    const { probeUrl } = await import('./probe.js')
    return probeUrl(values, url, io)
  },
})
