import type { Family, FamilyDamage, WireEvent } from '../../../../src/conformance/damage/family.js'
import {
  fieldsOf,
  inserted,
  listOf,
  moved,
  replaced,
  someOf,
  textOf,
} from '../../../../src/conformance/damage/family.js'

// Larger mistakes of servers of Chat Completions.

type Chunk = WireEvent
type Fields = Readonly<Record<string, unknown>>

const choiceOf = (chunk: Chunk): Fields => listOf(chunk['choices'])[0] ?? {}
const deltaOf = (chunk: Chunk): Fields => fieldsOf(choiceOf(chunk)['delta'])
const callOf = (chunk: Chunk): Fields => listOf(deltaOf(chunk)['tool_calls'])[0] ?? {}
const hasCall = (chunk: Chunk): boolean => listOf(deltaOf(chunk)['tool_calls']).length > 0
const beginsCall = (chunk: Chunk): boolean => textOf(callOf(chunk)['id']) !== ''
const hasText = (chunk: Chunk): boolean => textOf(deltaOf(chunk)['content']) !== ''
const hasReasoning = (chunk: Chunk): boolean =>
  textOf(deltaOf(chunk)['reasoning_content'] ?? deltaOf(chunk)['reasoning']) !== ''
const isEnd = (chunk: Chunk): boolean => typeof choiceOf(chunk)['finish_reason'] === 'string'
const isUsage = (chunk: Chunk): boolean =>
  listOf(chunk['choices']).length === 0 && fieldsOf(chunk)['usage'] !== undefined

const withChoice = (chunk: Chunk, fields: Fields): Chunk => ({ ...chunk, choices: [{ ...choiceOf(chunk), ...fields }] })
const withDelta = (chunk: Chunk, fields: Fields): Chunk =>
  withChoice(chunk, { delta: { ...deltaOf(chunk), ...fields } })
const withCall = (chunk: Chunk, fields: Fields): Chunk =>
  withDelta(chunk, { tool_calls: [{ ...callOf(chunk), ...fields }] })
const says = (like: Chunk, delta: Fields, reason: string | null = null): Chunk =>
  withChoice(like, { delta, finish_reason: reason })

const endOf = (chunks: readonly Chunk[]): number => chunks.findIndex(isEnd)
const CALL = { id: 'call_late', type: 'function', function: { name: 'late_tool', arguments: '{"late":true}' } }

function countOf(chunks: readonly Chunk[]): number {
  return chunks.filter(beginsCall).length
}

const late: Family = {
  name: 'late',
  *damages(chunks) {
    const end = endOf(chunks)
    const like = chunks[end]
    if (like === undefined) return
    const after = (how: string, ...more: Chunk[]): FamilyDamage => ({
      how,
      at: chunks.length,
      events: [...chunks, ...more],
    })
    // Without the token counts, nothing says that the answer is over: its finish_reason may have come too soon.
    const isSettled = chunks.some(isUsage)
    const isPlain = countOf(chunks) === 0 && choiceOf(like)['finish_reason'] === 'stop'
    if (isSettled || isPlain) yield after('a call', says(like, { tool_calls: [{ index: countOf(chunks), ...CALL }] }))
    if (isSettled) yield after('text', says(like, { content: 'Too late.' }))
    yield after('the finish_reason again', like)
    yield after('another finish_reason', says(like, {}, 'length'))
    yield after('the answer again', ...chunks.slice(0, end + 1))
    yield after('an error', { error: { message: 'Too late.', type: 'server_error', param: null, code: null } } as never)
  },
}

const reordered: Family = {
  name: 'reordered end',
  *damages(chunks) {
    const end = endOf(chunks)
    if (end < 0) return
    for (const at of someOf(chunks.slice(0, end), (chunk) => hasText(chunk) || hasCall(chunk))) {
      yield { how: `before ${hasCall(chunks[at] as Chunk) ? 'a call' : 'text'}`, at, events: moved(chunks, end, at) }
    }
    yield { how: 'at the beginning', at: 0, events: moved(chunks, end, 0) }
    const usage = chunks.findIndex(isUsage)
    if (usage >= 0) yield { how: 'the usage first', at: 0, events: moved(chunks, usage, 0) }
    yield { how: 'the role at the end', at: 0, events: moved(chunks, 0, end) }
  },
}

const foreign: Family = {
  name: 'foreign',
  *damages(chunks, other) {
    const theirs = other.map((chunk) => ('choices' in chunk ? { ...chunk, id: 'chatcmpl-other', created: 7 } : chunk))
    const middle = Math.floor(chunks.length / 2)
    if (theirs.every(({ choices }) => choices !== undefined)) {
      yield { how: 'another answer in the middle', at: middle, events: inserted(chunks, middle, ...theirs) }
      yield { how: 'another answer after it', at: chunks.length, events: [...chunks, ...theirs] }
    }
    for (const at of someOf(theirs as Chunk[], (chunk) => hasText(chunk) || hasCall(chunk))) {
      const one = theirs[at] as Chunk
      yield {
        how: `its ${hasCall(one) ? 'call' : 'text'} in the middle`,
        at: middle,
        events: inserted(chunks, middle, one),
      }
    }
  },
}

const duplicated: Family = {
  name: 'duplicated',
  *damages(chunks) {
    for (const at of someOf(chunks, beginsCall)) {
      yield { how: 'the beginning of a call', at, events: inserted(chunks, at, chunks[at] as Chunk) }
    }
    const end = endOf(chunks)
    yield { how: 'the role', at: 1, events: inserted(chunks, 1, chunks[0] as Chunk) }
    if (end > 0) yield { how: 'the end', at: end, events: inserted(chunks, end, chunks[end] as Chunk) }
    const usage = chunks.findIndex(isUsage)
    if (usage >= 0) yield { how: 'the usage', at: usage, events: inserted(chunks, usage, chunks[usage] as Chunk) }
  },
}

const calls: Family = {
  name: 'indexes of calls',
  *damages(chunks) {
    if (!chunks.some(hasCall)) return
    const at = chunks.findIndex(hasCall)
    const each = (how: string, change: (call: Fields) => Fields): FamilyDamage => ({
      how,
      at,
      events: chunks.map((chunk) =>
        hasCall(chunk) ? withDelta(chunk, { tool_calls: listOf(deltaOf(chunk)['tool_calls']).map(change) }) : chunk,
      ),
    })
    yield each('all 0', (call) => ({ ...call, index: 0 }))
    yield each('from 1', (call) => ({ ...call, index: Number(call['index']) + 1 }))
    yield each('none', ({ index, ...call }) => call)
    yield each('as text', (call) => ({ ...call, index: String(call['index']) }))
    yield each('null', (call) => ({ ...call, index: null }))
    yield each('of the choice as well', (call) => ({ ...call, index: Number(call['index']) * 7 }))
  },
}

const names: Family = {
  name: 'names of calls',
  *damages(chunks) {
    if (!chunks.some(hasCall)) return
    const at = chunks.findIndex(hasCall)
    let first: Fields = {}
    const whole = chunks.map((chunk) => {
      if (beginsCall(chunk)) first = callOf(chunk)
      if (!hasCall(chunk) || first['function'] === undefined) return chunk
      const { id, type } = first
      const { name } = fieldsOf(first['function'])
      return withCall(chunk, { id, type, function: { ...fieldsOf(callOf(chunk)['function']), name } })
    })
    yield { how: 'in each delta', at, events: whole }
    yield {
      how: 'empty in later deltas',
      at,
      events: chunks.map((chunk) =>
        hasCall(chunk) && !beginsCall(chunk) && callOf(chunk)['function'] !== undefined
          ? withCall(chunk, { id: '', function: { ...fieldsOf(callOf(chunk)['function']), name: '' } })
          : chunk,
      ),
    }
    for (const begin of someOf(chunks, beginsCall)) {
      const chunk = chunks[begin] as Chunk
      const body = fieldsOf(callOf(chunk)['function'])
      if (callOf(chunk)['function'] === undefined) continue
      const { name, ...nameless } = body
      const next = chunks[begin + 1]
      if (next !== undefined && hasCall(next) && !beginsCall(next)) {
        const later = withCall(next, { function: { ...fieldsOf(callOf(next)['function']), name } })
        const events = replaced(replaced(chunks, begin, withCall(chunk, { function: nameless })), begin + 1, later)
        yield { how: 'in the second delta', at: begin, events }
        const halves = [textOf(name).slice(0, 2), textOf(name).slice(2)]
        const first = withCall(chunk, { function: { ...body, name: halves[0] } })
        const second = withCall(next, { function: { ...fieldsOf(callOf(next)['function']), name: halves[1] } })
        yield { how: 'in pieces', at: begin, events: replaced(replaced(chunks, begin, first), begin + 1, second) }
      }
      yield { how: 'in no delta', at: begin, events: replaced(chunks, begin, withCall(chunk, { function: nameless })) }
      const { type, ...typeless } = callOf(chunk)
      yield {
        how: 'without a type',
        at: begin,
        events: replaced(chunks, begin, withDelta(chunk, { tool_calls: [typeless] })),
      }
      const { id, ...idless } = callOf(chunk)
      yield {
        how: 'without an id',
        at: begin,
        events: replaced(chunks, begin, withDelta(chunk, { tool_calls: [idless] })),
      }
    }
  },
}

const encoded: Family = {
  name: 'double-encoded',
  *damages(chunks) {
    for (const begin of someOf(chunks, beginsCall)) {
      const { index } = callOf(chunks[begin] as Chunk)
      const of = (chunk: Chunk): boolean => hasCall(chunk) && callOf(chunk)['index'] === index
      const given = chunks
        .filter(of)
        .map((chunk) => textOf(fieldsOf(callOf(chunk)['function'])['arguments']))
        .join('')
      if (!given.trimStart().startsWith('{')) continue
      const events = chunks.map((chunk, at) => {
        if (!of(chunk)) return chunk
        const text = at === begin ? JSON.stringify(given) : ''
        return withCall(chunk, { function: { ...fieldsOf(callOf(chunk)['function']), arguments: text } })
      })
      yield { how: 'arguments', at: begin, events }
      const asObject = chunks.flatMap((chunk, at) => {
        if (!of(chunk)) return [chunk]
        if (at !== begin) return []
        try {
          return [
            withCall(chunk, { function: { ...fieldsOf(callOf(chunk)['function']), arguments: JSON.parse(given) } }),
          ]
        } catch {
          return [chunk]
        }
      })
      yield { how: 'arguments as an object', at: begin, events: asObject }
    }
  },
}

const ends: Family = {
  name: 'finish_reason',
  *damages(chunks) {
    const end = endOf(chunks)
    const chunk = chunks[end]
    if (chunk === undefined) return
    for (const reason of ['stop', 'tool_calls', 'length', 'end_turn', 'eos', '', 'function_call']) {
      if (choiceOf(chunk)['finish_reason'] === reason) continue
      yield {
        how: reason || 'empty',
        at: end,
        events: replaced(chunks, end, withChoice(chunk, { finish_reason: reason })),
      }
    }
    yield {
      how: 'in each chunk',
      at: 0,
      events: chunks.map((one) =>
        'choices' in one && !isUsage(one) ? withChoice(one, { finish_reason: choiceOf(chunk)['finish_reason'] }) : one,
      ),
    }
    yield { how: 'lost', at: end, events: chunks.filter((_, at) => at !== end) }
    yield { how: 'lost with all after it', at: end, events: chunks.slice(0, end) }
  },
}

const roles: Family = {
  name: 'roles',
  *damages(chunks) {
    const each = (how: string, role: unknown): FamilyDamage => ({
      how,
      at: 0,
      events: chunks.map((chunk) => (listOf(chunk['choices']).length > 0 ? withDelta(chunk, { role }) : chunk)),
    })
    yield each('assistant in each delta', 'assistant')
    yield each('null in each delta', null)
    yield each('empty in each delta', '')
    yield each('model in each delta', 'model')
    const { role, ...rest } = deltaOf(chunks[0] as Chunk)
    if (role !== undefined) {
      yield { how: 'none', at: 0, events: replaced(chunks, 0, withChoice(chunks[0] as Chunk, { delta: rest })) }
    }
  },
}

const content: Family = {
  name: 'content',
  *damages(chunks) {
    for (const at of someOf(chunks, hasText)) {
      const chunk = chunks[at] as Chunk
      const text = textOf(deltaOf(chunk)['content'])
      yield {
        how: 'a list of parts',
        at,
        events: replaced(chunks, at, withDelta(chunk, { content: [{ type: 'text', text }] })),
      }
      yield { how: 'an object', at, events: replaced(chunks, at, withDelta(chunk, { content: { text } })) }
      yield { how: 'in `text`', at, events: replaced(chunks, at, withChoice(chunk, { delta: {}, text })) }
      yield {
        how: 'in `message`',
        at,
        events: replaced(chunks, at, withChoice(chunk, { delta: undefined, message: { content: text } })),
      }
    }
    for (const at of someOf(chunks, hasReasoning)) {
      const chunk = chunks[at] as Chunk
      const text = textOf(deltaOf(chunk)['reasoning_content'] ?? deltaOf(chunk)['reasoning'])
      yield {
        how: 'reasoning as an object',
        at,
        events: replaced(chunks, at, withDelta(chunk, { reasoning_content: { text } })),
      }
      const empty = withDelta(chunk, { reasoning_content: '', reasoning: text })
      yield { how: 'an empty reasoning_content beside reasoning', at, events: replaced(chunks, at, empty) }
    }
  },
}

const choices: Family = {
  name: 'choices',
  *damages(chunks) {
    const each = (how: string, change: (choice: Fields) => unknown): FamilyDamage => ({
      how,
      at: 0,
      events: chunks.map((chunk) =>
        listOf(chunk['choices']).length > 0 ? { ...chunk, choices: listOf(chunk['choices']).map(change) } : chunk,
      ),
    })
    yield each('from 1', (choice) => ({ ...choice, index: 1 }))
    yield each('without an index', ({ index, ...choice }) => choice)
    yield each('null', () => null)
    yield each('with their logprobs as lists', (choice) => ({ ...choice, logprobs: { content: {} } }))
    yield {
      how: 'none in the usage',
      at: 0,
      events: chunks.map((chunk) => (isUsage(chunk) ? ({ ...chunk, choices: undefined } as never) : chunk)),
    }
    yield {
      how: 'null in the usage',
      at: 0,
      events: chunks.map((chunk) => (isUsage(chunk) ? { ...chunk, choices: null } : chunk)),
    }
  },
}

const errors: Family = {
  name: 'errors',
  *damages(chunks) {
    const middle = Math.floor(chunks.length / 2)
    const error = { message: 'It broke.', type: 'server_error', param: null, code: null }
    const instead = (how: string, value: unknown): FamilyDamage => ({
      how,
      at: middle,
      events: [...chunks.slice(0, middle), value as Chunk],
    })
    yield { how: 'null in each chunk', at: 0, events: chunks.map((chunk) => ({ ...chunk, error: null })) }
    yield { how: 'empty in each chunk', at: 0, events: chunks.map((chunk) => ({ ...chunk, error: '' })) }
    yield instead('as text', { error: 'It broke.' })
    yield instead('without a message', { error: { type: 'server_error', code: 500 } })
    yield instead('beside choices', { ...chunks[0], choices: [], error })
    yield instead('as a message alone', { message: 'It broke.', code: 500 })
    yield instead('as a detail', { detail: 'It broke.' })
    yield { how: 'in the middle', at: middle, events: inserted(chunks, middle, { error } as never) }
  },
}

const cut: Family = {
  name: 'cut',
  *damages(chunks) {
    for (const at of someOf(chunks.slice(0, -1), () => true))
      yield { how: 'in the middle', at, events: chunks.slice(0, at + 1) }
    for (const at of someOf(chunks, beginsCall)) yield { how: 'in a call', at, events: chunks.slice(0, at + 1) }
    yield { how: 'before anything', at: 0, events: [] }
  },
}

const usage: Family = {
  name: 'usage',
  isSoft: true,
  *damages(chunks) {
    const at = chunks.findIndex(isUsage)
    const chunk = chunks[at]
    if (chunk === undefined) return
    const as = (how: string, value: unknown): FamilyDamage => ({
      how,
      at,
      events: replaced(chunks, at, { ...chunk, usage: value }),
    })
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

const ids: Family = {
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
      yield {
        how: `${how} in the middle`,
        at: middle,
        events: replaced(chunks, middle, { ...(chunks[middle] as Chunk), id }),
      }
      yield {
        how: `${how} in all`,
        at: 0,
        events: chunks.map((chunk, at) =>
          'choices' in chunk ? { ...chunk, id: how === 'other' ? `${id}${at}` : id } : chunk,
        ),
      }
    }
  },
}

/** Mistakes of servers of Chat Completions that are more than one wrong field or chunk. */
export const CHAT_FAMILIES: readonly Family[] = [
  late,
  reordered,
  foreign,
  duplicated,
  calls,
  names,
  encoded,
  ends,
  roles,
  content,
  choices,
  errors,
  cut,
  usage,
  ids,
]
