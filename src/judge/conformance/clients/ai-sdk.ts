import { AiSdkReader } from './ai-sdk/reader.js'
import { type ClientModel, rulesOf } from './client.js'

const RULES = rulesOf({
  'ai-sdk-validates':
    'Each event that @ai-sdk/openai 4.0 knows matches its schema: otherwise it emits an error part ("Type validation ' +
    'failed"), ends the turn with finishReason "error", and runs no call of the event.',
  'ai-sdk-text-part':
    'Text comes between output_item.added and output_item.done of its message: otherwise ai 7 emits an error part ' +
    '("text part not found"), and the result does not have the text.',
  'ai-sdk-reasoning-part':
    'A summary comes between output_item.added and output_item.done of its reasoning, and each of its parts but the ' +
    'first begins with reasoning_summary_part.added: otherwise ai 7 emits an error part ("reasoning part not found"), ' +
    'and the result does not have the text.',
  'ai-sdk-code-call':
    'code_interpreter_call_code.done has the output_index of a code interpreter call that was added: at that of ' +
    'another call @ai-sdk/openai 4.0 throws a TypeError, and the stream ends.',
  'ai-sdk-hosted-call':
    'A call other than a function of the application (a search, code, MCP, a shell, a patch) is added and done once, ' +
    'with one id and index, and code_interpreter_call_code.done has the complete code: @ai-sdk/openai 4.0 shows the ' +
    'call, its input and its result from these events, and nothing from the terminal response.',
  'ai-sdk-finish':
    'The calls of a response are done before its terminal event: otherwise the finishReason of ai is "stop" instead of ' +
    '"tool-calls".',
  'ai-sdk-tool-input': {
    sentence:
      'The arguments of a function call are valid JSON: otherwise ai 7 emits a tool-error part, and does not run the tool.',
    severity: 'warning',
    fault: 'model',
  },
})

/**
 * The AI SDK: `streamText` of ai with `openai.responses(...)` of @ai-sdk/openai. It does not cover
 * @ai-sdk/open-responses, which reads the same streams by other rules and validates nothing.
 */
export const aiSdk: ClientModel = {
  client: 'ai-sdk',
  name: 'The AI SDK',
  versions: { ai: '7.0.173', '@ai-sdk/openai': '4.0.118' },
  reads: {
    streamed: true,
    final: true,
    // It shows them as text.
    refusals: true,
    rawReasoning: false,
    summaries: true,
    functionCalls: true,
    customCalls: true,
    namespaces: false,
    citations: true,
    hosted: 'ai-sdk-hosted-call',
    incomplete: 'incomplete',
    failed: 'failed',
    // It knows no such status, and takes what came for the whole answer.
    cancelled: 'completed',
  },
  rules: RULES,
  begin: (reportBreak) => new AiSdkReader(reportBreak),
}
