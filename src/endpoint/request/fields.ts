import * as z from 'zod'
import type { ParsedRequest } from '../../core/responses/parsed-request.js'
import type {
  BackgroundOptions,
  ContextManagement,
  Includable,
  PromptCacheOptions,
  ReasoningOptions,
} from '../../core/responses/request-parameters.js'
import { withoutEval } from '../../shared/system/without-eval.js'
import { INCLUDABLE } from './includable.js'
import { MAX_STOPS } from './limits.js'
import {
  decimalFrom,
  either,
  flag,
  integerFrom,
  key,
  list,
  listUpTo,
  object,
  oneOf,
  optional,
  record,
  text,
  textLike,
} from './schemas/builders.js'
import { input } from './schemas/input.js'
import { reasoningOptions } from './schemas/reasoning.js'
import { textOptions } from './schemas/text-format.js'
import { toolChoice } from './schemas/tool-choice.js'
import { tools } from './schemas/tools.js'

withoutEval()

/**
 * How a parameter is supported:
 *
 * - `honoured`: this library acts on it.
 * - `passed on`: checked, for the server to act on.
 * - `echoed`: checked, and shown in the response. It changes nothing.
 * - `ignored`: changes nothing, and is not in the result.
 * - `refused`: an error, because a client that asked for it would be misled by an answer without it.
 */
export type Support = 'honoured' | 'passed on' | 'echoed' | 'ignored' | 'refused'

export interface Field {
  readonly support: Support
  /** Its effect, as a phrase of a sentence. */
  readonly does: string
  /** The values that it accepts. Absent: any. */
  readonly allows?: string
  readonly schema?: z.ZodType
  /** The clients that send it, if it is not a parameter of `openai`'s `responses.create`. */
  readonly sentBy?: string
}

type Checked<Name extends keyof ParsedRequest> = Field & {
  readonly support: 'honoured' | 'passed on' | 'echoed'
  readonly allows: string
  readonly schema: z.ZodType<NonNullable<ParsedRequest[Name]>>
}

/** The parameters that the result omits. */
type Dropped = Field & { readonly support: 'ignored' | 'refused' }

type DroppedName = 'access_programs' | 'client_metadata' | 'image' | 'moderation' | 'prompt' | 'type'

/** A model writes no lone surrogate. */
const stopString = textLike(/^\P{Surrogate}*$/u)

/** All facts about every parameter, in the order in which OpenAI's server checks them: the first error is reported. */
export const FIELDS: { readonly [Name in keyof ParsedRequest]-?: Checked<Name> } & {
  readonly [Name in DroppedName]: Dropped
} = {
  type: {
    support: 'ignored',
    does: 'marks a message on a WebSocket',
    allows: "`'response.create'`",
    schema: oneOf('response.create'),
    sentBy: 'WebSocket clients',
  },
  model: {
    support: 'echoed',
    does: 'the response repeats it; the server decides which model answers. Optional',
    allows: 'a string',
    schema: text,
  },
  input: {
    support: 'honoured',
    does: 'the conversation, in the prompt',
    allows: 'a string, or an array of [items](#items)',
    schema: input,
  },
  previous_response_id: {
    support: 'passed on',
    does: 'a server that stores responses puts their conversation before the input',
    allows: 'a string; not with `conversation`',
    schema: text,
  },
  prompt: { support: 'refused', does: 'a template that OpenAI stores' },
  conversation: {
    support: 'passed on',
    does: 'a server that stores conversations puts it before the input',
    allows: 'an id, or `{ id }`; not with `previous_response_id` or `store: false`',
    schema: either('one of a string or object', key, object({ id: key })),
  },
  moderation: { support: 'refused', does: 'a client that asks for moderation must not get an answer without it' },
  include: {
    support: 'honoured',
    does: 'log-probabilities, sources, outputs and sealed reasoning in the response',
    allows: "the API's eight values",
    schema: list('strings', oneOf<Includable>(...INCLUDABLE)),
  },
  tools: {
    support: 'honoured',
    does: 'taught in the prompt, and recognised in what the model writes',
    allows: 'an array of [tools](#tools)',
    schema: tools,
  },
  tool_choice: {
    support: 'honoured',
    does:
      'the prompt teaches the tools that it leaves, [calls of others](respond.md#what-tool_choice-excludes) fail, and a ' +
      'call that it demands is made',
    allows: "`'none'`, `'auto'`, `'required'`, or an object that names declared tools",
    schema: toolChoice,
  },
  metadata: {
    support: 'echoed',
    does: 'the response repeats it',
    allows: 'at most 16 strings of 512 characters, by names of 64',
    schema: record(text),
  },
  text: {
    support: 'honoured',
    does: '`format` is in the prompt and constrains the answer, `verbosity` is echoed',
    allows: "`format`: `'text'`, `'json_object'`, or `'json_schema'` with `name` and `schema`",
    schema: textOptions,
  },
  temperature: { support: 'honoured', does: 'sampling', allows: 'a number from 0 to 2', schema: decimalFrom(0, 2) },
  top_p: { support: 'honoured', does: 'sampling', allows: 'a number from 0 to 1', schema: decimalFrom(0, 1) },
  seed: {
    support: 'honoured',
    does: 'sampling, by engines that take one: the others are [reported](engines.md#seeds)',
    allows: 'an integer that JavaScript can hold: -9007199254740991 to 9007199254740991',
    schema: integerFrom(Number.MIN_SAFE_INTEGER),
    sentBy: 'clients of vLLM and SGLang',
  },
  stop: {
    support: 'honoured',
    does: 'the answer ends before the first of these texts. Ignored where `text.format` asks for JSON',
    allows: `a string, or an array of up to ${MAX_STOPS} strings, none of them empty`,
    schema: either('one of a string or array of strings', stopString, listUpTo(MAX_STOPS, 'strings', stopString)),
    sentBy: 'clients of vLLM, SGLang and llama-server',
  },
  presence_penalty: {
    support: 'echoed',
    does: 'no engine of this library supports it',
    allows: 'a number from -2 to 2',
    schema: decimalFrom(-2, 2),
    sentBy: 'clients of Open Responses',
  },
  frequency_penalty: {
    support: 'echoed',
    does: 'no engine of this library supports it',
    allows: 'a number from -2 to 2',
    schema: decimalFrom(-2, 2),
    sentBy: 'clients of Open Responses',
  },
  parallel_tool_calls: {
    support: 'honoured',
    does: '`false` ends a turn of the model after its first call',
    allows: 'a boolean',
    schema: flag,
  },
  stream: { support: 'passed on', does: 'whether the server answers with events', allows: 'a boolean', schema: flag },
  stream_options: {
    support: 'passed on',
    does: 'no stream of this library is obfuscated',
    allows: '`include_obfuscation`: a boolean',
    schema: object({ include_obfuscation: optional(flag) }),
  },
  stream_id: {
    support: 'passed on',
    does: 'which stream of a WebSocket the events belong to',
    allows: 'a string',
    schema: text,
    sentBy: 'WebSocket clients',
  },
  background: {
    support: 'passed on',
    does: 'the server answers at once and continues',
    allows: 'a boolean; not with `store: false`',
    schema: flag,
  },
  background_options: {
    support: 'passed on',
    does:
      'the server begins when it has a place, long before any `completion_window` ends, and in order of arrival, ' +
      'whatever the `continuation_id`',
    allows:
      "`completion_window`: `'soonest'`, `'2h'`, `'8h'`, of which the last two need `background`; `continuation_id`: a string",
    schema: object({
      completion_window: optional(oneOf('soonest', '2h', '8h')),
      continuation_id: optional(text),
    }) satisfies z.ZodType<BackgroundOptions>,
  },
  generate: {
    support: 'passed on',
    does: '`false` prepares a later request and generates nothing',
    allows: 'a boolean',
    schema: flag,
    sentBy: 'WebSocket clients',
  },
  max_output_tokens: {
    support: 'honoured',
    does: 'ends the answer as `incomplete`. OpenAI asks for 16 at least',
    allows: 'an integer from 1',
    schema: integerFrom(1),
  },
  max_tool_calls: {
    support: 'honoured',
    does: 'hosted calls beyond it do not run, and the model is told so',
    allows: 'an integer from 1',
    schema: integerFrom(1),
  },
  reasoning: {
    support: 'honoured',
    does: '`effort` is in the prompt, `summary` is how reasoning is shown; `generate_summary` is its old name',
    allows: '`effort`: `none` to `max`; `summary`: `auto`, `concise`, `detailed`; `context`, `mode`',
    schema: reasoningOptions,
  },
  user: { support: 'echoed', does: 'the response repeats it', allows: 'a string', schema: text },
  safety_identifier: { support: 'echoed', does: 'the response repeats it', allows: 'a string', schema: text },
  prompt_cache_options: {
    support: 'passed on',
    does: '`prewarm: true` is `generate: false`; the response repeats the rest, and engines cache prefixes by themselves',
    allows: '`mode`, `ttl`, `prewarm`, `comparison_response_id`',
    schema: object({
      comparison_response_id: optional(text),
      mode: optional(oneOf('implicit', 'explicit')),
      prewarm: optional(flag),
      ttl: optional(oneOf('30m', '12h')),
    }) satisfies z.ZodType<PromptCacheOptions>,
  },
  prompt_cache_key: { support: 'echoed', does: 'engines cache by the prompt', allows: 'a string', schema: text },
  prompt_cache_retention: {
    support: 'echoed',
    does: 'engines cache what they can',
    allows: "`'in_memory'` or `'24h'`",
    schema: oneOf('in_memory', '24h'),
  },
  truncation: {
    support: 'honoured',
    does: "`'auto'` drops the oldest exchanges of a conversation that does not fit into the context; else it is an error",
    allows: "`'auto'` or `'disabled'`",
    schema: oneOf('auto', 'disabled'),
  },
  instructions: {
    support: 'honoured',
    does: "in the prompt's developer message",
    allows: 'a string',
    schema: text,
  },
  store: { support: 'passed on', does: 'whether the server keeps the response', allows: 'a boolean', schema: flag },
  service_tier: {
    support: 'echoed',
    does: 'there is one tier: `auto` is echoed as `default`',
    allows: "the API's seven values",
    schema: oneOf('auto', 'default', 'flex', 'scale', 'priority', 'fast', 'ultrafast'),
  },
  top_logprobs: {
    support: 'honoured',
    does: 'alternatives of each token, if `include` asks for log-probabilities',
    allows: 'an integer from 0 to 20',
    schema: integerFrom(0, 20),
  },
  context_management: {
    support: 'honoured',
    does: 'compacts a conversation that takes more tokens than `compact_threshold` (default: 3/4 of the context)',
    allows: "`[{ type: 'compaction', compact_threshold }]`: an integer from 1000",
    schema: list<ContextManagement>(
      'objects',
      object({ type: oneOf('compaction'), compact_threshold: optional(integerFrom(1000)) }),
    ),
  },
  enable_response_messages: {
    support: 'honoured',
    does: 'Harmony messages in the response of a translator whose host allows it; the endpoint reports that it has no effect',
    allows: 'a boolean',
    schema: flag,
    sentBy: 'clients of vLLM',
  },
  access_programs: { support: 'ignored', does: "OpenAI's own" },
  client_metadata: { support: 'ignored', does: 'metadata of Codex', sentBy: 'Codex' },
  image: { support: 'ignored', does: 'no gpt-oss model reads images' },
}

/** A request after each parameter has been checked individually. */
export type CheckedRequest = Omit<ParsedRequest, 'reasoning'> & {
  readonly type?: 'response.create'
  readonly reasoning?: ReasoningOptions
}

// Derived from the table, whose type zod cannot infer; test/endpoint/request compares the two.
export const request: z.ZodType<CheckedRequest> = z.object(shapeOf(FIELDS)) as z.ZodType<CheckedRequest>

function shapeOf(fields: { readonly [name: string]: Field }): { [name: string]: z.ZodType } {
  const shape: { [name: string]: z.ZodType } = {}
  for (const [name, { schema }] of Object.entries(fields)) if (schema !== undefined) shape[name] = optional(schema)
  return shape
}
