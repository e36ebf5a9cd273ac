import { cutting, inserting, moved, sampleOf } from '../../damage/family.js'
import {
  beginsCall,
  CALL,
  type ChatDamage,
  type ChatFamily,
  type Chunk,
  choiceOf,
  countOf,
  endOf,
  hasCall,
  hasText,
  isUsage,
  says,
} from './chunk.js'

// Misplaced or missing chunks.

const late: ChatFamily = {
  name: 'late',
  *damages(chunks) {
    const end = endOf(chunks)
    const like = chunks[end]
    if (like === undefined) return
    const after = (how: string, more: readonly Chunk[]): ChatDamage => inserting(how, chunks, chunks.length, more)
    // Without the token counts, nothing proves the end of the answer: its finish_reason may be premature.
    const isSettled = chunks.some(isUsage)
    const isPlain = countOf(chunks) === 0 && choiceOf(like)['finish_reason'] === 'stop'
    if (isSettled || isPlain) yield after('a call', [says(like, { tool_calls: [{ index: countOf(chunks), ...CALL }] })])
    if (isSettled) yield after('text', [says(like, { content: 'Too late.' })])
    yield after('the finish_reason again', [like])
    yield after('another finish_reason', [says(like, {}, 'length')])
    yield after('the answer again', chunks.slice(0, end + 1))
    yield after('an error', [{ error: { message: 'Too late.', type: 'server_error', param: null, code: null } }])
  },
}

const reordered: ChatFamily = {
  name: 'reordered end',
  *damages(chunks) {
    const end = endOf(chunks)
    if (end < 0) return
    for (const at of sampleOf(chunks.slice(0, end), (chunk) => hasText(chunk) || hasCall(chunk))) {
      yield { how: `before ${hasCall(chunks[at] as Chunk) ? 'a call' : 'text'}`, at, events: moved(chunks, end, at) }
    }
    yield { how: 'at the beginning', at: 0, events: moved(chunks, end, 0) }
    const usage = chunks.findIndex(isUsage)
    if (usage >= 0) yield { how: 'the usage first', at: 0, events: moved(chunks, usage, 0) }
    yield { how: 'the role at the end', at: 0, events: moved(chunks, 0, end) }
  },
}

const foreign: ChatFamily = {
  name: 'foreign',
  *damages(chunks, other) {
    const theirs = other.map((chunk) => ('choices' in chunk ? { ...chunk, id: 'chatcmpl-other', created: 7 } : chunk))
    const middle = Math.floor(chunks.length / 2)
    if (theirs.every(({ choices }) => choices !== undefined)) {
      yield inserting('another answer in the middle', chunks, middle, theirs)
      yield inserting('another answer after it', chunks, chunks.length, theirs)
    }
    for (const at of sampleOf(theirs, (chunk) => hasText(chunk) || hasCall(chunk))) {
      const one = theirs[at] as Chunk
      yield inserting(`its ${hasCall(one) ? 'call' : 'text'} in the middle`, chunks, middle, [one])
    }
  },
}

const duplicated: ChatFamily = {
  name: 'duplicated',
  *damages(chunks) {
    for (const at of sampleOf(chunks, beginsCall)) {
      yield inserting('the beginning of a call', chunks, at, [chunks[at] as Chunk])
    }
    const end = endOf(chunks)
    yield inserting('the role', chunks, 1, [chunks[0] as Chunk])
    if (end > 0) yield inserting('the end', chunks, end, [chunks[end] as Chunk])
    const usage = chunks.findIndex(isUsage)
    if (usage >= 0) yield inserting('the usage', chunks, usage, [chunks[usage] as Chunk])
  },
}

const cut: ChatFamily = {
  name: 'cut',
  *damages(chunks) {
    for (const at of sampleOf(chunks.slice(0, -1), () => true))
      yield { how: 'in the middle', at, events: chunks.slice(0, at + 1) }
    for (const at of sampleOf(chunks, beginsCall)) yield { how: 'in a call', at, events: chunks.slice(0, at + 1) }
    yield cutting('before anything', chunks, 0)
  },
}

export const ORDER: readonly ChatFamily[] = [late, reordered, foreign, duplicated, cut]
