import * as z from 'zod'
import { withoutEval } from '../../../shared/system/without-eval.js'

withoutEval()

/** A key that servers send but the types of `openai` 7.59 do not have. It is always optional. */
export interface ExtraKey {
  readonly key: string
  readonly value: z.ZodType
  /** The objects that have the key: events, items and parts by type, other objects by the name of their schema. */
  readonly on: readonly string[]
  /** Which servers send it. */
  readonly seen: string
}

const text = z.string('a string')
const counts = z.array(z.int('a token count'), 'an array of token counts')
const VLLM_TURNS = 'vLLM 0.11 (PR 28034), of each model call; the translator on request (usageByTurn)'

/** All keys that the schemas allow although they are in no type. */
export const extraKeys: readonly ExtraKey[] = [
  {
    key: 'obfuscation',
    value: text,
    on: [
      'response.apply_patch_call_operation_diff.delta',
      'response.audio.delta',
      'response.audio.transcript.delta',
      'response.code_interpreter_call_code.delta',
      'response.custom_tool_call_input.delta',
      'response.function_call_arguments.delta',
      'response.mcp_call_arguments.delta',
      'response.output_text.delta',
      'response.reasoning_summary_text.delta',
      'response.reasoning_text.delta',
      'response.refusal.delta',
      'response.shell_call_command.delta',
    ],
    seen: 'OpenAI and Azure, on every string delta; `stream_options.include_obfuscation: false` turns it off',
  },
  {
    key: 'name',
    value: text,
    on: ['response.function_call_arguments.done'],
    seen: 'no capture (0 of 13), but the documentation of OpenAI and the type of openai 6.49 have it',
  },
  {
    key: 'status',
    value: z.enum(['in_progress', 'completed', 'incomplete'], 'a status'),
    on: ['custom_tool_call'],
    seen: 'OpenAI (gpt-5.2-codex) and xAI; the AI SDK wants it to be "completed"',
  },
  {
    key: 'bytes',
    value: z.array(z.int('a byte'), 'an array of bytes'),
    on: ['logprob of a delta', 'top logprob of a delta'],
    seen: 'LM Studio, in output_text.delta and .done, as in content parts',
  },
  {
    key: 'content_filters',
    value: z.array(z.looseObject({}, 'an object'), 'an array or null').nullable(),
    on: ['response'],
    seen: 'Azure: null, and in the terminal event what each filter found',
  },
  { key: 'input_tokens_per_turn', value: counts, on: ['input_tokens_details'], seen: VLLM_TURNS },
  { key: 'cached_tokens_per_turn', value: counts, on: ['input_tokens_details'], seen: VLLM_TURNS },
  { key: 'tool_output_tokens', value: z.int('a token count'), on: ['output_tokens_details'], seen: VLLM_TURNS },
  { key: 'output_tokens_per_turn', value: counts, on: ['output_tokens_details'], seen: VLLM_TURNS },
  { key: 'tool_output_tokens_per_turn', value: counts, on: ['output_tokens_details'], seen: VLLM_TURNS },
]

/** Events that the union of `openai` 7.59 does not have, or has in another form, and the servers that send them. */
export const extraEvents: { readonly [type: string]: string } = {
  error: 'OpenAI: {code, message, param} are nested under `error`, with a type; flat ones break the AI SDK and Codex',
  keepalive: 'no capture, but the accumulator of openai 7.59 accepts it, and no client fails at it',
  'response.apply_patch_call_operation_diff.delta': 'OpenAI (gpt-5.1), of a patch that creates or updates a file',
  'response.apply_patch_call_operation_diff.done': 'OpenAI (gpt-5.1), after the deltas',
}

/** The schemas of the extra keys of an object. */
export function extrasOf(name: string): { [key: string]: z.ZodExactOptional<z.ZodType> } {
  const rows = extraKeys.filter(({ on }) => on.includes(name))
  return Object.fromEntries(rows.map(({ key, value }) => [key, value.exactOptional()]))
}
