import { aboutItem } from '../about.js'
import { isTerminal } from '../event-kind.js'
import { type Invariant, of, responseRules } from '../invariant.js'
import { jsonHash } from '../json-hash.js'
import { asFields, asString, type StreamEvent, stringOrDescription } from '../stream-event.js'
import { isOtherMcpListDone, itemsInResponse } from '../stream-state.js'
import { OUTPUT_DIFFERS } from './cause-groups.js'
import { causesOfChange } from './changed-fields.js'

/** OpenAI encrypts these fields again each time, so that their values differ. */
const ENCRYPTED: ReadonlySet<string> = new Set(['encrypted_content', 'fingerprint'])

/** Rules for the output of a terminal response, beside the items of its stream. */
export const TERMINAL_OUTPUT: readonly Invariant[] = responseRules([
  {
    id: 'terminal-output-is-done-items',
    sentence: 'The output of a completed response lists the done items, in their order, with their ids.',
    needsOrder: true,
    causes: {
      event: ['every-item-done', 'terminal-type-is-status', 'terminal-response-complete'],
      stream: OUTPUT_DIFFERS,
    },
    on: of('response.completed'),
    event(event, state, report) {
      if (!Array.isArray(asFields(event['response'])['output'])) return
      const { open, done, resumed } = state
      const unfinished = [...open].filter(([, item]) => isOtherMcpListDone(item, state))
      const items = [...unfinished, ...done].sort(([a], [b]) => a - b)
      const streamed = items.map(([, item]) => item.id)
      const all = itemsInResponse(event).map(({ id }) => stringOrDescription(id))
      if (all.length === 0 && isCodexBackend(event)) return
      // In a resumed stream, the items from before come first in the output.
      const output = resumed === undefined ? all : all.slice(streamed.length === 0 ? all.length : items[0]?.[0])
      const listed = (ids: readonly string[]): string => (ids.length === 0 ? 'no item' : `items ${ids.join(', ')}`)
      if (streamed.join() !== output.join()) report(listed(streamed), output, listed(output))
    },
  },
  {
    id: 'terminal-output-not-empty',
    sentence:
      'The output of a completed response is not empty: ChatGPT’s Codex backend sends an empty one, and clients that ' +
      'read it show nothing.',
    neededBy: ['openai'],
    severity: 'warning',
    on: of('response.completed'),
    event(event, { done }, report) {
      if (done.size > 0 && itemsInResponse(event).length === 0 && isCodexBackend(event)) report('the done items', [])
    },
  },
  {
    id: 'terminal-output-was-streamed',
    sentence:
      'The output of a response that did not complete lists only items that were added, in their order, and all done ' +
      'items.',
    needsOrder: true,
    causes: {
      event: ['terminal-type-is-status', 'terminal-response-complete', 'terminal-output-was-streamed'],
      stream: OUTPUT_DIFFERS,
    },
    on: of('response.incomplete', 'response.failed'),
    event(event, { open, done, resumed }, report) {
      const items = [...open, ...done].sort(([a], [b]) => a - b)
      const streamed = items.map(([, { id }]) => id)
      const all = itemsInResponse(event).map(({ id }) => asString(id))
      const output = resumed === undefined ? all : all.slice(streamed.length === 0 ? all.length : items[0]?.[0])
      const places = output.map((id) => streamed.indexOf(id))
      for (const [index, place] of places.entries()) {
        if (place < 0) report('an item that was streamed', output[index])
        else if (place <= (places[index - 1] ?? -1))
          report(`${output[index]} before ${output[index - 1]}`, undefined, 'the reverse order')
      }
      // No capture shows which items a failed response keeps.
      if (event.type === 'response.failed') return
      for (const { id, type } of done.values())
        if (!output.includes(id)) report(`${type} ${id} in the output`, undefined, 'an output without it')
    },
  },
  {
    id: 'terminal-items-unchanged',
    sentence: 'An item in the terminal response equals the item in its output_item.done.',
    causes: causesOfChange,
    on: isTerminal,
    event(event, { done }, report) {
      const output = new Map(itemsInResponse(event).map((item) => [asString(item['id']), item]))
      for (const [index, { id, type, fieldHashes }] of done) {
        const item = output.get(id)
        if (item === undefined) continue
        const missing = [...fieldHashes.keys()].filter((name) => !Object.hasOwn(item, name))
        const differs = Object.keys(item)
          .filter((name) => fieldHashes.get(name) !== jsonHash(item[name]))
          .concat(missing)
          .filter((name) => !ENCRYPTED.has(name))
        if (differs.length > 0)
          report(`${type} ${id} as in its output_item.done`, undefined, `a different ${differs.join(', ')}`, {
            about: aboutItem(index, id),
          })
      }
    },
  },
])

/** Whether the response comes from ChatGPT's Codex backend, which sets a user and a cache key, and stores nothing. */
function isCodexBackend(event: StreamEvent): boolean {
  const { store, safety_identifier: user, prompt_cache_key: cache } = asFields(event['response'])
  return store === false && asString(user) !== '' && asString(cache) !== ''
}
