import type { ClientRule } from '../client.js'

export type RuleId =
  | 'ai-sdk-validates'
  | 'ai-sdk-text-part'
  | 'ai-sdk-reasoning-part'
  | 'ai-sdk-code-call'
  | 'ai-sdk-hosted-call'
  | 'ai-sdk-finish'
  | 'ai-sdk-tool-input'

/** The rules of the AI SDK. */
export const RULES: readonly (ClientRule & { readonly id: RuleId })[] = [
  {
    id: 'ai-sdk-validates',
    sentence:
      'Each event that @ai-sdk/openai 4.0 knows matches its schema: otherwise it emits an error part ("Type validation ' +
      'failed"), ends the turn with finishReason "error", and runs no call of the event.',
    severity: 'error',
  },
  {
    id: 'ai-sdk-text-part',
    sentence:
      'Text comes between output_item.added and output_item.done of its message: otherwise ai 7 emits an error part ' +
      '("text part not found"), and the result does not have the text.',
    severity: 'error',
  },
  {
    id: 'ai-sdk-reasoning-part',
    sentence:
      'A summary comes between output_item.added and output_item.done of its reasoning, and each of its parts but the ' +
      'first begins with reasoning_summary_part.added: otherwise ai 7 emits an error part ("reasoning part not found"), ' +
      'and the result does not have the text.',
    severity: 'error',
  },
  {
    id: 'ai-sdk-code-call',
    sentence:
      'code_interpreter_call_code.done has the output_index of a code interpreter call that was added: at that of ' +
      'another call @ai-sdk/openai 4.0 throws a TypeError, and the stream ends.',
    severity: 'error',
  },
  {
    id: 'ai-sdk-hosted-call',
    sentence:
      'A call other than a function of the application (a search, code, MCP, a shell, a patch) is added and done once, ' +
      'with one id and index, and code_interpreter_call_code.done has the complete code: @ai-sdk/openai 4.0 shows the ' +
      'call, its input and its result from these events, and nothing from the terminal response.',
    severity: 'error',
  },
  {
    id: 'ai-sdk-finish',
    sentence:
      'The calls of a response are done before its terminal event: otherwise the finishReason of ai is "stop" instead of ' +
      '"tool-calls".',
    severity: 'error',
  },
  {
    id: 'ai-sdk-tool-input',
    sentence:
      'The arguments of a function call are valid JSON: otherwise ai 7 emits a tool-error part, and does not run the tool.',
    severity: 'warning',
    fault: 'model',
  },
]
