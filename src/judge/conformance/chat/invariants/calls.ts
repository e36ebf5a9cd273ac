import type { Fields } from '../../../../shared/fields.js'
import { isEncodedTwice, isJson } from '../../json-text.js'
import { asFields, asString, isIndex } from '../../stream-event.js'
import { type ChatInvariant, chatRules } from '../invariant.js'
import { callsIn, MAX_CALLS } from '../stream-state.js'
import { CALL_MISPLACED, CHUNKS_DIFFER } from './cause-groups.js'

/** Returns the part of a call with its callee and input. */
const bodyOf = ({ function: named, custom }: Fields): Fields => asFields(named ?? custom)

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

/** Rules for calls: their deltas, their arguments, and the finish_reason that they require. */
export const CALLS: readonly ChatInvariant[] = chatRules([
  {
    id: 'chat-call-index',
    sentence: `Each delta of a call has its index, from 0 to ${MAX_CALLS - 1}: the openai SDK throws without one.`,
    fields: ['choices.delta.tool_calls.index'],
    call({ index }, _seen, _choice, report) {
      if (!isIndex(index, MAX_CALLS)) report(`an index from 0 to ${MAX_CALLS - 1}`, index)
    },
  },
  {
    id: 'chat-calls-in-order',
    sentence:
      'Calls begin with index 0, 1, 2, ..., and each ends where the next begins: the openai SDK reports at that point ' +
      'that a call is done.',
    causes: { item: ['chat-call-index'], event: ['chat-call-index'], stream: ['chat-calls-in-order'] },
    call({ index }, seen, { calls, lastCall }, report) {
      if (!isIndex(index, MAX_CALLS)) return
      if (seen === undefined) {
        if (index !== calls.size) report(`index ${calls.size}`, index)
      } else if (lastCall !== undefined && seen !== lastCall)
        report(`index ${lastCall.index}, of the call that is open`, index)
    },
  },
  {
    id: 'chat-call-begins',
    sentence:
      'The first delta of a call has its id, its type and its name: the openai SDK throws without a type, and no client ' +
      'can run a call without a name.',
    fields: [
      'choices.delta.tool_calls.id',
      'choices.delta.tool_calls.type',
      'choices.delta.tool_calls.function.name',
      'choices.delta.tool_calls.custom.name',
    ],
    causes: { item: CALL_MISPLACED, event: CALL_MISPLACED, stream: ['chat-calls-in-order'] },
    call(delta, seen, _choice, report) {
      if (seen !== undefined) return
      const { id, type } = delta
      if (asString(id) === '') report('an id', id)
      if (type !== 'function' && type !== 'custom') report('type "function" or "custom"', type)
      const { name } = bodyOf(delta)
      if (asString(name) === '') report(`${type === 'custom' ? 'custom' : 'function'}.name`, name)
    },
  },
  {
    id: 'chat-call-goes-on',
    sentence:
      'A later delta of a call has arguments alone: the openai SDK replaces the first name or id by a second one.',
    causes: { item: [...CALL_MISPLACED, 'chat-call-begins'] },
    call(delta, seen, _choice, report) {
      if (seen === undefined) return
      const { id, type } = delta
      const { name } = bodyOf(delta)
      for (const [field, value] of Object.entries({ id, type, name })) {
        if (isGiven(value)) report(`no ${field} after the first delta`, value)
      }
    },
  },
  {
    id: 'chat-call-ids-differ',
    sentence: 'No two calls of a choice have the same id: results would go to the wrong call.',
    causes: { item: CALL_MISPLACED },
    call({ id }, seen, { calls }, report) {
      if (seen !== undefined || asString(id) === '') return
      for (const other of calls.values()) if (other.id === id) report('a unique id', id)
    },
  },
  {
    id: 'chat-arguments-json',
    sentence: 'The arguments of a function call are valid JSON when the choice ends with its calls.',
    fault: 'model',
    causes: {
      item: [...CALL_MISPLACED, 'chat-call-begins', 'chat-call-goes-on', 'chat-arguments-encoded-once'],
      stream: [...CALL_MISPLACED, ...CHUNKS_DIFFER],
    },
    finish(reason, { index: choice, calls, functionCall }, report) {
      // A limit may cut a call off.
      if (reason !== 'tool_calls' && reason !== 'function_call' && reason !== 'stop') return
      for (const { index, type, pieces, since } of calls.values()) {
        const text = pieces.join('')
        const about = { choice, call: index, since }
        if (type !== 'custom' && !isJson(text)) report('valid JSON', text, undefined, { about })
      }
      const text = functionCall?.join('')
      if (text !== undefined && !isJson(text)) report('valid JSON', text, undefined, { about: { choice } })
    },
  },
  {
    id: 'chat-arguments-encoded-once',
    sentence:
      'The arguments of a function call are JSON that is encoded once: a tool gets a text instead of its fields otherwise.',
    causes: { item: CALL_MISPLACED },
    finish(_reason, { index: choice, calls }, report) {
      for (const { index, type, pieces, since } of calls.values()) {
        const text = pieces.join('')
        const about = { choice, call: index, since }
        if (type !== 'custom' && isEncodedTwice(text))
          report('arguments that are encoded once', text, undefined, { about })
      }
    },
  },
  {
    id: 'chat-finish-has-calls',
    sentence: 'A choice with finish_reason "tool_calls" has tool_calls, and one with "function_call" a function_call.',
    causes: { stream: [...CALL_MISPLACED, ...CHUNKS_DIFFER, 'chat-nothing-after-finish'] },
    finish(reason, { calls, functionCall }, report) {
      if (reason === 'tool_calls' && calls.size === 0) report('calls before "tool_calls"', undefined, 'none')
      const isWithout = reason === 'function_call' && functionCall === undefined
      if (isWithout) report('a call before "function_call"', undefined, 'none')
    },
  },
  {
    id: 'chat-calls-finish',
    sentence:
      'A choice with calls ends with finish_reason "tool_calls", unless it is cut off: clients that rely on it run no ' +
      'call otherwise. (OpenAI sends "stop" where tool_choice names a function.)',
    severity: 'warning',
    causes: { event: ['chat-calls-one-form'], stream: ['chat-one-completion'] },
    finish(reason, { calls, functionCall }, report) {
      if (reason !== 'stop') return
      if (calls.size > 0) report('finish_reason "tool_calls"', reason)
      else if (functionCall !== undefined) report('finish_reason "function_call"', reason)
    },
  },
  {
    id: 'chat-calls-one-form',
    sentence: 'A choice has tool_calls or a function_call, not both: the openai SDK drops the tool_calls beside it.',
    choice({ delta }, seen, _state, report) {
      const { function_call: old } = asFields(delta)
      const calls = callsIn(asFields(delta))
      if (isGiven(old) && (calls.length > 0 || (seen?.calls.size ?? 0) > 0)) report('tool_calls alone', old)
      else if (calls.length > 0 && seen?.functionCall !== undefined) report('a function_call alone', calls[0])
    },
  },
])
