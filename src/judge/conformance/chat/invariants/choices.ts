import { asFields, asList, asString, isIndex } from '../../stream-event.js'
import { type ChatInvariant, chatRules } from '../invariant.js'
import { choicesIn, MAX_CHOICES } from '../stream-state.js'
import { CHUNKS_DIFFER } from './cause-groups.js'

/** Rules for choices: their index, their role and their finish_reason. */
export const CHOICES: readonly ChatInvariant[] = chatRules([
  {
    id: 'chat-choice-index',
    sentence: `A choice has an index from 0 to ${MAX_CHOICES - 1}: the openai SDK throws otherwise.`,
    fields: ['choices.index'],
    chunk(chunk, _state, report) {
      for (const { index } of choicesIn(chunk)) {
        if (!isIndex(index, MAX_CHOICES)) report(`an index from 0 to ${MAX_CHOICES - 1}`, index)
      }
    },
  },
  {
    id: 'chat-choice-once',
    sentence: 'A chunk has one choice of an index: the AI SDK reads the first of a chunk alone.',
    chunk(chunk, _state, report) {
      const indexes = choicesIn(chunk).map(({ index }) => index)
      for (const [at, index] of indexes.entries()) if (indexes.indexOf(index) < at) report('an index of its own', index)
    },
  },
  {
    id: 'chat-text-in-delta',
    sentence: 'The text of a choice is in its delta: clients read no `text` beside it, which is of the older API.',
    choice({ text }, _seen, _state, report) {
      if (asString(text) !== '') report('content in the delta', text)
    },
  },
  {
    id: 'chat-choices-dense',
    sentence: 'The choices of a stream are 0, 1, 2, ... without a gap, and a stream has at least one.',
    causes: { stream: [...CHUNKS_DIFFER, 'chat-role-first'] },
    end({ choices, hasFailed }, report) {
      if (hasFailed) return
      const count = Math.max(choices.size, 1)
      for (let index = 0; index < count; index++) {
        if (!choices.has(index)) report(`a choice ${index}`, undefined, 'none', { about: { choice: index } })
      }
    },
  },
  {
    id: 'chat-role-first',
    sentence:
      'The first delta of a choice has the role "assistant": without a role, the openai SDK throws at the end ' +
      '("missing role for choice").',
    fields: ['choices.delta.role'],
    causes: { event: ['chat-choice-index'], stream: CHUNKS_DIFFER },
    choice(choice, seen, _state, report) {
      const { role } = asFields(choice['delta'])
      if (seen === undefined && role !== 'assistant') report('the role "assistant"', role)
    },
  },
  {
    id: 'chat-role-once',
    sentence: 'Only the first delta of a choice has a role.',
    severity: 'warning',
    fields: ['choices.delta.role'],
    causes: {
      stream: ['chat-role-first', 'chat-one-completion', 'chat-finish-once', 'chat-nothing-after-finish'],
    },
    choice(choice, seen, _state, report) {
      const { role } = asFields(choice['delta'])
      if (seen !== undefined && seen.finish === undefined && role !== undefined && role !== null)
        report('no role after the first delta', role)
    },
  },
  {
    id: 'chat-finish-once',
    sentence:
      'Each choice has exactly one finish_reason: without one, the openai SDK throws at the end ("missing finish_reason ' +
      'for choice").',
    fields: ['choices.finish_reason'],
    // The token counts come where the finish_reason is missing.
    causes: {
      stream: ['chat-usage-last', 'chat-choices-dense', 'chat-nothing-after-finish', ...CHUNKS_DIFFER],
    },
    choice({ finish_reason: reason }, seen, _state, report) {
      const isSecond = seen?.finish !== undefined && typeof reason === 'string'
      if (isSecond) report('one finish_reason', reason)
    },
    end({ choices, hasFailed }, report) {
      if (hasFailed) return
      for (const { index, finish } of choices.values()) {
        if (finish === undefined) report('a finish_reason', undefined, 'none', { about: { choice: index } })
      }
    },
  },
  {
    id: 'chat-nothing-after-finish',
    sentence:
      'No text or call follows the finish_reason of a choice: clients have already shown the text and run the calls.',
    causes: { stream: ['chat-finish-once', 'chat-one-completion'] },
    choice({ delta }, seen, _state, report) {
      if (seen?.finish === undefined) return
      const { content, refusal, tool_calls, function_call, reasoning_content, reasoning } = asFields(delta)
      const says = [content, refusal, reasoning_content, reasoning].some((text) => asString(text) !== '')
      const calls = asList(tool_calls).length > 0 || (function_call !== undefined && function_call !== null)
      if (says || calls) report('nothing after finish_reason', delta)
    },
  },
])
