import type { Fields } from '../../../../shared/fields.js'
import { changing, cutting, fieldsOf, inserting, listOf, replacing, sampleOf, textOf } from '../../damage/family.js'
import {
  type ChatDamage,
  type ChatFamily,
  type Chunk,
  choiceOf,
  deltaOf,
  endOf,
  hasReasoning,
  hasText,
  isUsage,
  withChoice,
  withDelta,
} from './chunk.js'

// Fields with values that no client expects.

const ends: ChatFamily = {
  name: 'finish_reason',
  *damages(chunks) {
    const end = endOf(chunks)
    const chunk = chunks[end]
    if (chunk === undefined) return
    for (const reason of ['stop', 'tool_calls', 'length', 'end_turn', 'eos', '', 'function_call']) {
      if (choiceOf(chunk)['finish_reason'] === reason) continue
      yield replacing(reason || 'empty', chunks, end, withChoice(chunk, { finish_reason: reason }))
    }
    yield changing('in each chunk', chunks, (one) =>
      'choices' in one && !isUsage(one) ? withChoice(one, { finish_reason: choiceOf(chunk)['finish_reason'] }) : one,
    )
    yield replacing('lost', chunks, end)
    yield cutting('lost with all after it', chunks, end)
  },
}

const roles: ChatFamily = {
  name: 'roles',
  *damages(chunks) {
    const each = (how: string, role: unknown): ChatDamage =>
      changing(how, chunks, (chunk) => (listOf(chunk['choices']).length > 0 ? withDelta(chunk, { role }) : chunk))
    yield each('assistant in each delta', 'assistant')
    yield each('null in each delta', null)
    yield each('empty in each delta', '')
    yield each('model in each delta', 'model')
    const { role, ...rest } = deltaOf(chunks[0] as Chunk)
    if (role !== undefined) {
      yield replacing('none', chunks, 0, withChoice(chunks[0] as Chunk, { delta: rest }))
    }
  },
}

const content: ChatFamily = {
  name: 'content',
  *damages(chunks) {
    for (const at of sampleOf(chunks, hasText)) {
      const chunk = chunks[at] as Chunk
      const text = textOf(deltaOf(chunk)['content'])
      yield replacing('a list of parts', chunks, at, withDelta(chunk, { content: [{ type: 'text', text }] }))
      yield replacing('an object', chunks, at, withDelta(chunk, { content: { text } }))
      yield replacing('in `text`', chunks, at, withChoice(chunk, { delta: {}, text }))
      yield replacing('in `message`', chunks, at, withChoice(chunk, { delta: undefined, message: { content: text } }))
    }
    for (const at of sampleOf(chunks, hasReasoning)) {
      const chunk = chunks[at] as Chunk
      const text = textOf(deltaOf(chunk)['reasoning_content'] ?? deltaOf(chunk)['reasoning'])
      yield replacing('reasoning as an object', chunks, at, withDelta(chunk, { reasoning_content: { text } }))
      const empty = withDelta(chunk, { reasoning_content: '', reasoning: text })
      yield replacing('an empty reasoning_content beside reasoning', chunks, at, empty)
    }
  },
}

const choices: ChatFamily = {
  name: 'choices',
  *damages(chunks) {
    const each = (how: string, change: (choice: Fields) => unknown): ChatDamage =>
      changing(how, chunks, (chunk) =>
        listOf(chunk['choices']).length > 0 ? { ...chunk, choices: listOf(chunk['choices']).map(change) } : chunk,
      )
    yield each('from 1', (choice) => ({ ...choice, index: 1 }))
    yield each('without an index', ({ index, ...choice }) => choice)
    yield each('null', () => null)
    yield each('with their logprobs as lists', (choice) => ({ ...choice, logprobs: { content: {} } }))
    yield changing('none in the usage', chunks, (chunk) => (isUsage(chunk) ? { ...chunk, choices: undefined } : chunk))
    yield changing('null in the usage', chunks, (chunk) => (isUsage(chunk) ? { ...chunk, choices: null } : chunk))
  },
}

const errors: ChatFamily = {
  name: 'errors',
  *damages(chunks) {
    const middle = Math.floor(chunks.length / 2)
    const error = { message: 'It broke.', type: 'server_error', param: null, code: null }
    const instead = (how: string, value: unknown): ChatDamage => cutting(how, chunks, middle, value as Chunk)
    yield changing('null in each chunk', chunks, (chunk) => ({ ...chunk, error: null }))
    yield changing('empty in each chunk', chunks, (chunk) => ({ ...chunk, error: '' }))
    yield instead('as text', { error: 'It broke.' })
    yield instead('without a message', { error: { type: 'server_error', code: 500 } })
    yield instead('beside choices', { ...chunks[0], choices: [], error })
    yield instead('as a message alone', { message: 'It broke.', code: 500 })
    yield instead('as a detail', { detail: 'It broke.' })
    yield inserting('in the middle', chunks, middle, [{ error }])
  },
}

const usage: ChatFamily = {
  name: 'usage',
  isSoft: true,
  *damages(chunks) {
    const at = chunks.findIndex(isUsage)
    const chunk = chunks[at]
    if (chunk === undefined) return
    const as = (how: string, value: unknown): ChatDamage => replacing(how, chunks, at, { ...chunk, usage: value })
    const counts = fieldsOf(chunk['usage'])
    yield as(
      'as texts',
      Object.fromEntries(
        Object.entries(counts).map(([name, value]) => [name, typeof value === 'number' ? String(value) : value]),
      ),
    )
    yield as('empty', {})
    yield as('a list', [])
    yield as('with details as numbers', { ...counts, completion_tokens_details: 7 })
    yield as('with details null', { ...counts, completion_tokens_details: null, prompt_tokens_details: null })
  },
}

const ids: ChatFamily = {
  name: 'wrong ids',
  isSoft: true,
  *damages(chunks) {
    const middle = Math.floor(chunks.length / 2)
    for (const [how, id] of [
      ['null', null],
      ['empty', ''],
      ['other', 'chatcmpl-wrong'],
      ['a number', 7],
    ] as const) {
      yield replacing(`${how} in the middle`, chunks, middle, { ...(chunks[middle] as Chunk), id })
      yield changing(`${how} in all`, chunks, (chunk, at) =>
        'choices' in chunk ? { ...chunk, id: how === 'other' ? `${id}${at}` : id } : chunk,
      )
    }
  },
}

export const VALUES: readonly ChatFamily[] = [ends, roles, content, choices, errors, usage, ids]
