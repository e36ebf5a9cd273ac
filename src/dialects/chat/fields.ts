import { objectAt, objectIn, textIn } from '../../shared/request-fields.js'
import { type BodyField, ignored, refused, same } from '../body/field.js'
import { renamed } from '../body/renamed.js'
import type { Draft } from './draft.js'
import { readMessages } from './messages.js'
import {
  checkCount,
  checkModalities,
  MAX_STOPS,
  putEffort,
  readIncludeReasoning,
  readLogprobs,
  readReasoning,
  readStop,
  readStreamOptions,
  readTemplateArguments,
  readTopLogprobs,
  refuseUnlessEmpty,
} from './parameters.js'
import { readFunctionChoice, readFunctions, readToolChoice, readTools, readWebSearch } from './tools.js'

const SAMPLING: string = 'no engine of this library supports it'
const LOCAL = 'clients of vLLM, SGLang and llama-server'

/** All facts about every parameter, in reading order: the first error is reported. */
export const CHAT_FIELDS: { readonly [name: string]: BodyField<Draft> } = {
  model: same('model'),
  messages: {
    support: 'mapped',
    does: '`input`: see [messages](#messages)',
    *readInSlices(value, draft) {
      draft.put('input', yield* readMessages(value, draft), 'messages')
    },
  },
  audio: refused('audio', 'gpt-oss has no audio output'),
  modalities: { support: 'refused', does: 'anything but `text`', read: checkModalities },
  moderation: refused('moderation', 'a client that asks for moderation must not get an answer without it'),
  n: { support: 'refused', does: 'more than 1', read: checkCount },
  stop: { support: 'mapped', does: `\`stop\`: up to ${MAX_STOPS}`, read: readStop },
  logit_bias: { support: 'refused', does: `unless it is empty: ${SAMPLING}`, read: refuseUnlessEmpty('logit_bias') },
  tools: { support: 'mapped', does: '`tools`; a function is not strict unless it says so', read: readTools },
  functions: {
    support: 'mapped',
    does: '`tools`, not strict; the answer then has a `function_call`',
    read: readFunctions,
  },
  web_search_options: { support: 'mapped', does: '`tools`: the hosted `web_search`', read: readWebSearch },
  tool_choice: { support: 'mapped', does: '`tool_choice`', read: readToolChoice },
  function_call: { support: 'mapped', does: '`tool_choice`, if that is missing', read: readFunctionChoice },
  metadata: same('metadata'),
  response_format: { support: 'mapped', does: '`text.format`', read: readResponseFormat },
  verbosity: {
    support: 'mapped',
    does: '`text.verbosity`',
    read: (value, draft) => draft.putIn('text', 'verbosity', value, 'verbosity'),
  },
  temperature: same('temperature'),
  top_p: same('top_p'),
  presence_penalty: same('presence_penalty'),
  frequency_penalty: same('frequency_penalty'),
  seed: same('seed'),
  parallel_tool_calls: same('parallel_tool_calls'),
  stream: same('stream'),
  stream_options: {
    support: 'mapped',
    does: '`include_usage` affects the form of the answer, `include_obfuscation` is `stream_options`',
    read: readStreamOptions,
  },
  max_tokens: {
    support: 'mapped',
    does: '`max_output_tokens`',
    read: (value, draft) => draft.put('max_output_tokens', value, 'max_tokens'),
  },
  max_completion_tokens: {
    support: 'mapped',
    does: '`max_output_tokens`, rather than `max_tokens`',
    read: (value, draft) => draft.put('max_output_tokens', value, 'max_completion_tokens'),
  },
  reasoning_effort: {
    support: 'mapped',
    does: '`reasoning.effort`',
    read: (value, draft) => putEffort(value, 'reasoning_effort', draft),
  },
  reasoning: {
    support: 'mapped',
    does: '`effort` is `reasoning.effort`, `exclude` affects the form of the answer',
    sentBy: 'clients of OpenRouter',
    read: readReasoning,
  },
  include_reasoning: {
    support: 'mapped',
    does: 'the form of the answer',
    sentBy: 'clients of OpenRouter',
    read: readIncludeReasoning,
  },
  chat_template_kwargs: {
    support: 'mapped',
    does: '`reasoning_effort` is `reasoning.effort`; the rest changes nothing',
    sentBy: LOCAL,
    read: readTemplateArguments,
  },
  user: same('user'),
  safety_identifier: same('safety_identifier'),
  prompt_cache_key: same('prompt_cache_key'),
  prompt_cache_options: same('prompt_cache_options'),
  prompt_cache_retention: ignored('engines cache what they can'),
  store: same('store', '`store`, but false if it is missing: a chat cannot continue a response'),
  service_tier: same('service_tier'),
  logprobs: { support: 'mapped', does: '`include`: `message.output_text.logprobs`', read: readLogprobs },
  top_logprobs: { support: 'mapped', does: '`top_logprobs`; needs `logprobs`', read: readTopLogprobs },
  prediction: ignored('it would only speed up the answer'),
  top_k: ignored(SAMPLING, LOCAL),
  min_p: ignored(SAMPLING, LOCAL),
  repetition_penalty: ignored(SAMPLING, LOCAL),
  strictJsonSchema: ignored('a setting for the client only', "Mastra's router"),
}

const JSON_SCHEMA = { name: 'name', description: 'description', schema: 'schema', strict: 'strict' } as const

/**
 * Reads `response_format`. If the answer has to be JSON, preambles join the reasoning, because clients parse all of
 * `content`.
 *
 * @throws RequestError
 */
function readResponseFormat(value: unknown, draft: Draft): void {
  const format = objectAt(value, 'response_format')
  const type = textIn(format, 'type', 'response_format')
  if (type !== 'text') draft.answer = { ...draft.answer, preambles: 'reasoning' }
  if (type !== 'json_schema') {
    draft.putIn('text', 'format', { type }, 'response_format')
    return
  }
  const json = renamed(objectIn(format, 'json_schema', 'response_format'), JSON_SCHEMA)
  // A missing schema accepts any JSON.
  draft.putIn('text', 'format', { type, schema: {}, ...json }, 'response_format.json_schema')
}
