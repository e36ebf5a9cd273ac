import { VOCABULARY_SIZE } from '../../core/harmony/vocabulary.js'
import { check } from '../../shared/errors.js'
import { checkOptions, type OptionCheck, type OptionTable } from '../../shared/options/check-options.js'
import {
  aBoolean,
  aFunction,
  anObject,
  aString,
  aText,
  listOf,
  oneOf,
  optionsOf,
  recordOf,
  that,
  wholeNumber,
} from '../../shared/options/checks.js'
import { checkConstraint } from './check-constraint.js'
import type { GenerateOptions, Sampling } from './engine.js'
import type { PromptFields, PromptFormat, PromptImage, PromptTool } from './prompt-fields.js'

/** The Responses API's limit of `top_logprobs`. */
const MAX_LOGPROBS = 20

const aShare = that(
  (value) => Number.isFinite(value) && (value as number) >= 0 && (value as number) <= 1,
  'a number from 0 to 1',
)

const SAMPLING: OptionTable<Sampling> = {
  temperature: that((value) => Number.isFinite(value) && (value as number) >= 0, 'a number of at least 0'),
  topP: aShare,
  topK: wholeNumber(0),
  minP: aShare,
  seed: that(Number.isSafeInteger, 'a whole number'),
}

/** One line each. They may come from a client, so a malformed value is otherwise left out, and fails no call. */
const TRACE: OptionTable<NonNullable<GenerateOptions['trace']>> = {
  traceparent: that(isLine, 'a traceparent of W3C trace context'),
  tracestate: that(isLine, 'a tracestate of W3C trace context'),
}

const TOOL: OptionTable<PromptTool> = {
  recipient: aString,
  description: aText,
  parameters: anObject,
  body: oneOf('json', 'text', 'code'),
  strict: aBoolean,
}

const FORMAT: OptionTable<PromptFormat> = { name: aString, description: aText, schema: anObject, strict: aBoolean }
const IMAGE: OptionTable<PromptImage> = { url: aString, detail: aText }

/** Checks nested options, some of which are required. */
function whole<Options extends object>(
  table: OptionTable<Options>,
  ...required: (keyof Options & string)[]
): OptionCheck {
  return (value, path) => checkOptions(path, value, table, required, path)
}

const PROMPT_FIELDS: OptionTable<PromptFields> = {
  tools: listOf(whole(TOOL, 'recipient', 'body'), 'an array of tools'),
  demand: listOf(aString, 'an array of recipients'),
  isParallel: aBoolean,
  format: whole(FORMAT, 'name'),
  effort: aString,
  stop: listOf(aString, 'an array of strings'),
  truncates: aBoolean,
  identity: aText,
  lessons: listOf(aText, 'an array of strings'),
  images: recordOf(whole(IMAGE, 'url'), 'an object of images'),
}

const GENERATE_OPTIONS: OptionTable<GenerateOptions> = {
  sampling: optionsOf(SAMPLING),
  maxTokens: wholeNumber(1),
  stop(value, path) {
    check(Array.isArray(value), path, 'an array of token ids', value)
    checkIds(value, path)
  },
  logprobs: wholeNumber(0, MAX_LOGPROBS),
  constraint: checkConstraint,
  promptFields: optionsOf(PROMPT_FIELDS),
  trace: whole(TRACE, 'traceparent'),
  cacheSalt: that(
    (value) => typeof value === 'string' && /^[\w-]{1,128}$/.test(value),
    'a text of 1 to 128 letters, digits, - and _',
  ),
  retryWithinMs: wholeNumber(0),
  onUsage: aFunction,
  signal: that((value) => value instanceof AbortSignal, 'an AbortSignal'),
}

/**
 * Checks the arguments of an engine's `generate`, so that all engines reject the same calls with the same messages.
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function checkGenerate(promptTokens: readonly number[] | Uint32Array, options: GenerateOptions = {}): void {
  const isList = Array.isArray(promptTokens) || promptTokens instanceof Uint32Array
  check(isList, 'promptTokens', 'an array of token ids', promptTokens)
  checkIds(promptTokens, 'promptTokens')
  check(promptTokens.length > 0, 'promptTokens', 'at least one token id', promptTokens)

  checkOptions('generate', options, GENERATE_OPTIONS)
}

/** Whether a header can carry the value. */
function isLine(value: unknown): boolean {
  return typeof value === 'string' && [...value].every((character) => character >= ' ' || character === '\t')
}

function checkIds(ids: readonly number[] | Uint32Array, what: string): void {
  // A plain loop, because a prompt may have a hundred thousand tokens.
  for (let at = 0; at < ids.length; at++) {
    const id = ids[at]
    if (typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < VOCABULARY_SIZE) continue
    check(false, `${what}[${at}]`, `a token id from 0 to ${VOCABULARY_SIZE - 1}`, id)
  }
}
