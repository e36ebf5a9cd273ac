import type { FollowUp } from './follow-up.js'
import { type Json, list } from './obedient-model.js'

/** Maps the ids and sealed contents of recorded answers to ours. */
export interface RecordedIds {
  /** A request as its client would have sent it here. */
  inOurs<T>(value: T): T
  /** Records which ids of the recorded answer and ours correspond. */
  learn(followUp: FollowUp, response: Json): void
}

const KEPT: readonly string[] = ['id', 'call_id', 'encrypted_content']

export function recordedIds(): RecordedIds {
  const ours = new Map<string, string>()

  function inOurs(value: unknown): unknown {
    if (typeof value === 'string') return ours.get(value) ?? value
    if (Array.isArray(value)) return value.map(inOurs)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inOurs(inner)]))
  }

  return {
    inOurs: (value) => inOurs(value) as never,
    learn({ said, previousResponseId }, response) {
      const isNew = previousResponseId !== undefined && !ours.has(previousResponseId)
      if (isNew) ours.set(previousResponseId, String(response['id']))
      const output = [...(list(response['output']) as Json[])]
      for (const item of said) {
        // Open Responses puts a prefix before the types that it does not know.
        const indexOf = (kind: unknown): number =>
          output.findIndex(({ type }) => String(type).replace(/^openai:/, '') === kind)
        // Where the answer has to be JSON, a preamble is reasoning here.
        const at =
          item['type'] === 'message' && indexOf('message') === -1 ? indexOf('reasoning') : indexOf(item['type'])
        if (at === -1) continue
        const [own = {}] = output.splice(at, 1)
        for (const field of KEPT) {
          const [from, to] = [item[field], own[field]]
          if (typeof from === 'string' && from !== '' && typeof to === 'string') ours.set(from, to)
        }
      }
    },
  }
}
