import type { Fields } from '../../../../shared/fields.js'
import { changing, fieldsOf, listOf, replaced, replacing, sampleOf, textOf } from '../../damage/family.js'
import {
  beginsCall,
  type ChatDamage,
  type ChatFamily,
  type Chunk,
  callOf,
  deltaOf,
  hasCall,
  withCall,
  withDelta,
} from './chunk.js'

// Calls that differ in form from OpenAI's.

const calls: ChatFamily = {
  name: 'indexes of calls',
  *damages(chunks) {
    if (!chunks.some(hasCall)) return
    const at = chunks.findIndex(hasCall)
    const each = (how: string, change: (call: Fields) => Fields): ChatDamage =>
      changing(
        how,
        chunks,
        (chunk) =>
          hasCall(chunk) ? withDelta(chunk, { tool_calls: listOf(deltaOf(chunk)['tool_calls']).map(change) }) : chunk,
        at,
      )
    yield each('all 0', (call) => ({ ...call, index: 0 }))
    yield each('from 1', (call) => ({ ...call, index: Number(call['index']) + 1 }))
    yield each('none', ({ index, ...call }) => call)
    yield each('as text', (call) => ({ ...call, index: String(call['index']) }))
    yield each('null', (call) => ({ ...call, index: null }))
    yield each('of the choice as well', (call) => ({ ...call, index: Number(call['index']) * 7 }))
  },
}

const names: ChatFamily = {
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
    yield changing(
      'empty in later deltas',
      chunks,
      (chunk) =>
        hasCall(chunk) && !beginsCall(chunk) && callOf(chunk)['function'] !== undefined
          ? withCall(chunk, { id: '', function: { ...fieldsOf(callOf(chunk)['function']), name: '' } })
          : chunk,
      at,
    )
    for (const begin of sampleOf(chunks, beginsCall)) {
      const chunk = chunks[begin] as Chunk
      const body = fieldsOf(callOf(chunk)['function'])
      if (callOf(chunk)['function'] === undefined) continue
      const { name, ...nameless } = body
      const next = chunks[begin + 1]
      if (next !== undefined && hasCall(next) && !beginsCall(next)) {
        const later = withCall(next, { function: { ...fieldsOf(callOf(next)['function']), name } })
        const events = replaced(replaced(chunks, begin, [withCall(chunk, { function: nameless })]), begin + 1, [later])
        yield { how: 'in the second delta', at: begin, events }
        const halves = [textOf(name).slice(0, 2), textOf(name).slice(2)]
        const first = withCall(chunk, { function: { ...body, name: halves[0] } })
        const second = withCall(next, { function: { ...fieldsOf(callOf(next)['function']), name: halves[1] } })
        yield { how: 'in pieces', at: begin, events: replaced(replaced(chunks, begin, [first]), begin + 1, [second]) }
      }
      yield replacing('in no delta', chunks, begin, withCall(chunk, { function: nameless }))
      const { type, ...typeless } = callOf(chunk)
      yield replacing('without a type', chunks, begin, withDelta(chunk, { tool_calls: [typeless] }))
      const { id, ...idless } = callOf(chunk)
      yield replacing('without an id', chunks, begin, withDelta(chunk, { tool_calls: [idless] }))
    }
  },
}

const encoded: ChatFamily = {
  name: 'double-encoded',
  *damages(chunks) {
    for (const begin of sampleOf(chunks, beginsCall)) {
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

export const CALLS: readonly ChatFamily[] = [calls, names, encoded]
