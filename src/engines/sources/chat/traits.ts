import type { OptionTable } from '../../../shared/options/check-options.js'
import { aBoolean, aString, listOf, oneOf } from '../../../shared/options/checks.js'

/** How a server speaks Chat Completions, where servers differ. Each field is an option of `createChatEngine`. */
export interface ChatTraits {
  /** The fields of a delta that may have the reasoning; of several, the first that has any is read. */
  readonly reasoningFields?: readonly string[]
  /** Whether the reasoning before a call is sent back, in the field in which the server sent it. */
  readonly returnsReasoning?: boolean
  /** Whether the content may begin with `<think>`, or with reasoning that only `</think>` ends. */
  readonly thinkTags?: 'none' | 'both' | 'end'
  /** The field of a request that limits the answer. */
  readonly limitField?: 'max_tokens' | 'max_completion_tokens'
  /** The field that has the reasoning effort: a word, or an object with `effort`. */
  readonly effortField?: 'reasoning_effort' | 'reasoning'
  /** Fields of a request that the server refuses, and that are left out. */
  readonly omits?: readonly string[]
  /** What the server takes as a format of the answer: `schema_only` if it takes schemas, and no `json_object`. */
  readonly formats?: 'json_schema' | 'schema_only' | 'json_object' | 'none'
  /** Whether a format may stand beside tools. */
  readonly formatBesideTools?: boolean
  /** Whether the server claims to enforce the schemas of strict functions and formats. */
  readonly strict?: boolean
  /** The role of instructions in the middle of a conversation. */
  readonly laterInstructions?: 'user' | 'system'
  /**
   * How the server is asked to continue the last message: by vLLM's fields, or by `prefix` on the message, which it may
   * repeat. `none` if it begins another one.
   */
  readonly continues?: 'none' | 'continue_final_message' | 'prefix'
  /** Whether the model sees images. */
  readonly images?: boolean
  /** What the server takes as `tool_choice`: a function's name, `required` alone, or neither. */
  readonly toolChoice?: 'named' | 'required' | 'none'
  /** Whether the server takes `stop`. */
  readonly stop?: boolean
  /** The path of a list of models that has their context lengths. */
  readonly contextPath?: string
}

export const TRAITS: OptionTable<ChatTraits> = {
  reasoningFields: listOf(aString, 'an array of names of fields'),
  returnsReasoning: aBoolean,
  thinkTags: oneOf('none', 'both', 'end'),
  limitField: oneOf('max_tokens', 'max_completion_tokens'),
  effortField: oneOf('reasoning_effort', 'reasoning'),
  omits: listOf(aString, 'an array of names of fields'),
  formats: oneOf('json_schema', 'schema_only', 'json_object', 'none'),
  formatBesideTools: aBoolean,
  strict: aBoolean,
  laterInstructions: oneOf('user', 'system'),
  continues: oneOf('none', 'continue_final_message', 'prefix'),
  images: aBoolean,
  toolChoice: oneOf('named', 'required', 'none'),
  stop: aBoolean,
  contextPath: aString,
}

/** What holds for a server of which nothing else is known. */
export const DEFAULT_TRAITS = {
  reasoningFields: ['reasoning_content', 'reasoning'],
  returnsReasoning: true,
  thinkTags: 'none',
  limitField: 'max_tokens',
  effortField: 'reasoning_effort',
  omits: ['top_k', 'min_p'],
  formats: 'json_schema',
  formatBesideTools: true,
  strict: false,
  laterInstructions: 'user',
  continues: 'none',
  images: false,
  toolChoice: 'named',
  stop: false,
  contextPath: '/v1/models',
} as const
