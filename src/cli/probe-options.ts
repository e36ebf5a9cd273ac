/* The options of `probe`, apart from its code, so that the help loads none of that. */

export const OPTIONS_HELP: string = `URL is http://host:8000, with or without /v1, /v1/responses, /v1/chat/completions or /v1/messages.

  --model NAME          default: the first that GET /v1/models lists
  --header 'K: V'       sent with every request, and never printed; repeatable
  --only NAME           runs this scenario only, or all of Chat Completions (chat) or Messages (messages); repeatable
  --profile openai      what streams are checked against, beside all clients: openai (default), open-responses,
                        client:openai, client:ai-sdk, client:openai-agents, client:langchain, client:codex
  --timeout SECONDS     the longest silence (default 60); a whole answer may take ten times as long
  --json                prints one line of JSON instead of the table
  --junit FILE          also writes JUnit XML; - prints it instead of the table
  --help

Scenarios (docs/probe.md says what each asks):
  plain, call, call-whole, two-tools, tool-choice, json-schema, truncation, malformed-json,
  missing-input, wrong-types, unknown-model, unknown-previous, previous-response, resume,
  chat-text, chat-reasoning, chat-call, chat-two-tools, chat-json-schema, chat-stop, chat-length, chat-usage,
  chat-errors, messages-text, messages-thinking, messages-call, messages-parallel, messages-format,
  messages-stop, messages-length, messages-count, messages-errors, abort

Exit codes: 0 no scenario fails, 1 a scenario fails, 2 wrong usage, or no server to check.
`

export const SUMMARY = 'checks a live Responses server'
export const HELP: string = `harmony-responses probe URL: ${SUMMARY}\n\n${OPTIONS_HELP}`

export const OPTIONS = {
  model: { type: 'string' },
  header: { type: 'string', multiple: true, default: [] as string[] },
  only: { type: 'string', multiple: true, default: [] as string[] },
  profile: { type: 'string', default: 'openai' },
  timeout: { type: 'string', default: '60' },
  json: { type: 'boolean', default: false },
  junit: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const
