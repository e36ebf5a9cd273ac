// Types that are written down from another API or package, field by field: its documentation explains the fields.

/** The files with such types, by what they mirror. */
const FILES = {
  "OpenAI's Responses API": [
    ...['builtins/', 'events.ts', 'input-content.ts', 'input-items.ts', 'input-status.ts', 'items.ts'],
    ...['other-input-items.ts', 'parsed-request.ts', 'request-parameters.ts', 'request-tools.ts', 'request.ts'],
    ...['response.ts', 'wire-fields.ts'],
  ].map((file) => `src/core/responses/${file}`),
  "OpenAI's Chat Completions API": ['src/dialects/chat/completion.ts'],
  "Anthropic's Messages API": ['src/dialects/messages/message.ts'],
  "vLLM's Responses API": ['src/dialects/vllm.ts'],
  'the API of OpenTelemetry': ['src/endpoint/server/observe/open-telemetry.ts'],
  'Standard Schema': ['src/endpoint/tools/standard-schema.ts'],
  'node-llama-cpp': ['src/engines/sources/llama-cpp/node-llama-cpp.ts'],
}

/** What each file mirrors, or each file of a folder. */
export const MIRRORS = Object.fromEntries(
  Object.entries(FILES).flatMap(([mirrored, files]) => files.map((file) => [file, mirrored])),
)

/** Types of these files that are not in what the file mirrors: they sort its types, or add to them. */
const OWN =
  /^(Builtin\w+|\w+Wire|CitedPage|EchoedOnlyTool|ItemEvent|\w+ByType|KeepAliveEvent|RequestEcho|ServedStreamEvent|ItemEventPayload)$/

/** What a type of a file mirrors; undefined if it is this package's own. */
export const mirroredBy = (path, name) =>
  OWN.test(name) ? undefined : MIRRORS[Object.keys(MIRRORS).find((file) => path.startsWith(file))]
