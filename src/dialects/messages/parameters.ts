import type { Fields } from '../../shared/fields.js'
import { emptyString, invalidValue } from '../../shared/request-error.js'
import {
  fieldOf,
  objectAt,
  objectIn,
  objectsAt,
  optionalIntegerIn,
  TEXT_OR_OBJECTS,
  textIn,
  textsAt,
  wordIn,
} from '../../shared/request-fields.js'
import type { Draft } from './draft.js'

/** Readers of parameters that are more than renamed. Each throws RequestError. */

/**
 * The prefix of an attribution that Claude Code puts before its instructions: it is for the server, not for the model.
 */
const ATTRIBUTION = 'x-anthropic-billing-header'

/** Reads `system`: a text, or blocks of text. */
export function readSystem(value: unknown, draft: Draft): void {
  const blocks =
    typeof value === 'string'
      ? [value]
      : objectsAt(value, 'system', TEXT_OR_OBJECTS).map((block, index) => {
          const at = `system[${index}]`
          const type = textIn(block, 'type', at)
          if (type !== 'text') throw invalidValue(`${at}.type`, type, ['text'])
          return textIn(block, 'text', at)
        })
  const instructions = blocks[0]?.startsWith(ATTRIBUTION) ? blocks.slice(1) : blocks
  if (instructions.length > 0) draft.put('instructions', instructions.join('\n'), 'system')
}

/** Reads `stop_sequences`. */
export function readStopSequences(value: unknown, draft: Draft): void {
  const stops = textsAt(value, 'stop_sequences')
  if (stops.includes('')) throw emptyString(`stop_sequences[${stops.indexOf('')}]`)
  if (stops.length > 0) draft.put('stop', stops, 'stop_sequences')
}

const THINKING = ['adaptive', 'enabled', 'between_tools', 'disabled'] as const
const DISPLAYS = { summarized: 'shown', updates: 'shown', omitted: 'omitted' } as const

/** Reads `thinking`: whether the client sees the reasoning, and its budget. */
export function readThinking(value: unknown, draft: Draft): void {
  const thinking = objectAt(value, 'thinking')
  const type = wordIn(thinking, 'type', 'thinking', THINKING)
  if (type === 'disabled') {
    putEffort('low', 'thinking.type', draft)
    return
  }
  const display = fieldOf(thinking, 'display') ?? 'summarized'
  const thinkingMode = Object.hasOwn(DISPLAYS, display as string)
    ? DISPLAYS[display as keyof typeof DISPLAYS]
    : undefined
  if (thinkingMode === undefined) throw invalidValue('thinking.display', display, Object.keys(DISPLAYS))
  draft.answer = { ...draft.answer, thinking: thinkingMode }
  if (type === 'enabled') readBudget(thinking, draft)
}

/** The efforts of gpt-oss, by the lowest budget that maps to them. */
const BUDGETS = [
  [16_384, 'high'],
  [4096, 'medium'],
  [0, 'low'],
] as const

function readBudget(thinking: Fields, draft: Draft): void {
  const tokens = optionalIntegerIn(thinking, 'budget_tokens', 'thinking', 1)
  if (tokens === undefined) return
  const [, effort] = BUDGETS.find(([min]) => tokens >= min) ?? BUDGETS[2]
  putEffort(effort, 'thinking.budget_tokens', draft)
}

/** Reads `output_config`: `effort` and `format`. */
export function readOutputConfig(value: unknown, draft: Draft): void {
  const config = objectAt(value, 'output_config')
  const effort = fieldOf(config, 'effort')
  if (effort !== undefined) putEffort(effort, 'output_config.effort', draft)
  if (fieldOf(config, 'format') !== undefined)
    readFormat(objectIn(config, 'format', 'output_config'), 'output_config.format', draft)
}

/** Reads `output_format`, the older name of `output_config.format`. */
export function readOutputFormat(value: unknown, draft: Draft): void {
  if (draft.request['text'] === undefined) readFormat(objectAt(value, 'output_format'), 'output_format', draft)
}

/** Reads a format. If the answer has to be JSON, preambles are omitted, because clients parse all of the text. */
function readFormat(format: { readonly [field: string]: unknown }, param: string, draft: Draft): void {
  const type = textIn(format, 'type', param)
  if (type !== 'json_schema') throw invalidValue(`${param}.type`, type, ['json_schema'])
  const schema = objectIn(format, 'schema', param)
  draft.putIn('text', 'format', { type, name: 'response', schema, strict: true }, param)
  draft.answer = { ...draft.answer, preambles: 'hidden' }
}

/** Sets the first effort in the body. */
function putEffort(effort: unknown, param: string, draft: Draft): void {
  if (draft.request['reasoning'] === undefined) draft.putIn('reasoning', 'effort', effort, param)
}
