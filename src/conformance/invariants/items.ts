import type { Fields } from '../../fields.js'
import { aboutItem } from '../about.js'
import { hasItem, isItemAdded, isItemDone, isOfItem, isTerminal } from '../event-kind.js'
import { type Invariant, of, stateless } from '../invariant.js'
import { jsonHash } from '../json-hash.js'
import { preview } from '../preview.js'
import { asFields, asString, lookUp, type StreamEvent, stringOrDescription } from '../stream-event.js'
import { finalTextIn, isOtherMcpListDone, itemsInResponse, type OpenItem, type StreamState } from '../stream-state.js'

/** The id prefix of each item type. Types that are not listed may have any prefix. */
const PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg_',
  reasoning: 'rs_',
  function_call: 'fc_',
  custom_tool_call: 'ctc_',
  mcp_call: 'mcp_',
  mcp_list_tools: 'mcpl_',
  mcp_approval_request: 'mcpr_',
  code_interpreter_call: 'ci_',
  web_search_call: 'ws_',
  file_search_call: 'fs_',
  image_generation_call: 'ig_',
  local_shell_call: 'lsh_',
  shell_call: 'sh_',
  shell_call_output: 'sho_',
  apply_patch_call: 'apc_',
  compaction: 'cmp_',
}

/** The fields that are streamed. They are empty in the added item, because clients append the deltas to them. */
const STREAMED: Readonly<Record<string, readonly string[]>> = {
  message: ['content'],
  reasoning: ['content', 'summary'],
  function_call: ['arguments'],
  custom_tool_call: ['input'],
  mcp_call: ['arguments'],
  code_interpreter_call: ['code'],
}

/** The fields of an item that are the same in `output_item.added` and `output_item.done`. */
const CONSTANT = ['type', 'name', 'namespace', 'call_id', 'server_label', 'role', 'phase'] as const

/** OpenAI gives a tool search another call_id when it is done. */
const CHANGING = /^tool_search_/

/** OpenAI encrypts these fields again each time, so that their values differ. */
const ENCRYPTED: ReadonlySet<string> = new Set(['encrypted_content', 'fingerprint'])

const itemIn = (event: StreamEvent): Fields => asFields(event['item'])

/** Rules for items: their order, their ids, and the fields that do not change. */
export const ITEMS: readonly Invariant[] = [
  {
    id: 'output-index-order',
    sentence: 'output_index is 0, 1, 2, ... in the order in which items are added.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isItemAdded,
    begin: () => {
      let next: number | undefined
      return {
        event(event, { resumed }, report) {
          const { output_index: index } = event
          next ??= resumed !== undefined && Number.isInteger(index) ? (index as number) : 0
          if (index !== next) report(`output_index ${next}`, index, undefined, { about: { outputIndex: next } })
          // Continues from the index that came, so that one gap is reported once.
          next = typeof index === 'number' && Number.isInteger(index) ? index + 1 : next + 1
        },
      }
    },
  },
  {
    id: 'output-index-present',
    sentence: 'Every event about an item has its output_index: the AI SDK and LangChain lose calls without it.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isOfItem,
    begin: stateless((event, _state, report) => {
      const { output_index: index } = event
      if (!Number.isInteger(index)) report('an output_index', index)
    }),
  },
  {
    id: 'output-index-free',
    sentence: 'No item is added at the output_index of another item.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isItemAdded,
    begin: stateless((event, { open, done }, report) => {
      const index = event['output_index'] as number
      if (open.has(index) || done.has(index)) report('an output_index that is not in use', index)
    }),
  },
  {
    id: 'item-has-id',
    sentence: 'An item has an id.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isItemAdded,
    begin: stateless((event, _state, report) => {
      const { id } = itemIn(event)
      if (asString(id) === '') report('an id', id)
    }),
  },
  {
    id: 'item-ids-differ',
    sentence: 'No two items have the same id.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isItemAdded,
    begin: () => {
      const ids = new Set<string>()
      return {
        event(event, _state, report) {
          const id = asString(itemIn(event)['id'])
          if (id !== '' && ids.has(id)) report('a unique id', id)
          ids.add(id)
        },
      }
    },
  },
  {
    id: 'item-id-prefix',
    sentence: 'An id has the prefix of its item type.',
    neededBy: ['openai'],
    // A warning: no client reads the prefix, some recorders shorten ids, and other servers have prefixes of their own.
    severity: 'warning',
    on: isItemAdded,
    begin: stateless((event, _state, report) => {
      const { id, type } = itemIn(event)
      const prefix = lookUp(PREFIXES, asString(type))
      if (prefix !== undefined && !asString(id).startsWith(prefix)) report(`an id that starts with ${prefix}`, id)
    }),
  },
  {
    id: 'done-was-added',
    sentence: 'An item that is done was added before.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isItemDone,
    begin: stateless((event, state, report) => {
      const { output_index: index } = event
      // `output-index-present` reports a missing index, and Codex needs none.
      if (!Number.isInteger(index) || state.item !== undefined) return
      if (!state.done.has(index as number)) report('an item that was added', undefined, `item ${index}`)
    }),
  },
  {
    id: 'done-once',
    sentence: 'An item is done once: Codex and the AI SDK run a call at each output_item.done.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isItemDone,
    begin: stateless((event, { open, done }, report) => {
      const index = event['output_index'] as number
      if (done.has(index) && !open.has(index))
        report('no second output_item.done', undefined, `another one of item ${preview(index)}`)
    }),
  },
  {
    id: 'item-identity',
    sentence: 'An item has the same id in output_item.added and output_item.done.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isItemDone,
    begin: stateless((event, { item }, report) => {
      const { id } = itemIn(event)
      if (item !== undefined && item.id !== id && !isNameless(item)) report(`id ${preview(item.id)}`, id)
    }),
  },
  {
    id: 'item-constant',
    sentence: 'The type, name, namespace, call_id, server_label, role and phase of an item never change.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isItemDone,
    begin: stateless((event, { item }, report) => {
      if (item === undefined || item.isResumed) return
      for (const field of CONSTANT) {
        if (field === 'call_id' && CHANGING.test(item.type)) continue
        const [was, is] = [item.added[field], itemIn(event)[field]]
        if (was !== is) report(`${field} ${JSON.stringify(was)}`, is)
      }
    }),
  },
  {
    id: 'announced-empty',
    sentence: 'The streamed fields of an added item are empty: LangChain appends the deltas to them.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isItemAdded,
    begin: stateless((event, _state, report) => {
      const item = itemIn(event)
      for (const field of lookUp(STREAMED, asString(item['type'])) ?? []) {
        const value = item[field] ?? ''
        if (value !== '' && !(Array.isArray(value) && value.length === 0)) report(`${field} to be empty`, value)
      }
    }),
  },
  {
    id: 'message-shape',
    sentence: 'The content of a message is an array.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: hasItem,
    begin: stateless((event, _state, report) => {
      const { type, content } = itemIn(event)
      if (type === 'message' && !Array.isArray(content)) report('content as an array', content)
    }),
  },
  {
    id: 'message-role',
    sentence: 'The role of a message is assistant.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: hasItem,
    begin: stateless((event, _state, report) => {
      const { type, role } = itemIn(event)
      if (type === 'message' && role !== 'assistant') report('role "assistant"', role)
    }),
  },
  {
    id: 'message-phase',
    sentence: 'A phase is commentary or final_answer: Codex and the AI SDK lose a message with any other phase.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: hasItem,
    begin: stateless((event, _state, report) => {
      const { type, phase = null } = itemIn(event)
      if (type === 'message' && phase !== null && phase !== 'commentary' && phase !== 'final_answer') {
        report('phase "commentary" or "final_answer"', phase)
      }
    }),
  },
  {
    id: 'reasoning-summary-list',
    sentence: 'Reasoning has an array of summaries, empty if there are none.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: hasItem,
    begin: stateless((event, _state, report) => {
      const { type, summary } = itemIn(event)
      if (type === 'reasoning' && !Array.isArray(summary)) report('summary as an array', summary)
    }),
  },
  {
    id: 'event-of-its-item',
    sentence: 'The type of an event fits the type of its item.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: ({ itemType }) => itemType !== undefined,
    begin: stateless((event, { kind, item, part }, report) => {
      if (item === undefined) return
      if (item.type !== kind.itemType) report(`an event for an item of type ${item.type}`, undefined, event.type)
      const announced = part?.announced['type']
      if (kind.partType !== undefined && announced !== undefined && announced !== kind.partType)
        report(`an event for a part of type ${preview(announced)}`, undefined, event.type)
    }),
  },
  {
    id: 'reasoning-not-adjacent',
    sentence: 'Two reasoning items never follow each other directly.',
    neededBy: ['openai'],
    severity: 'warning',
    fault: 'model',
    on: isItemAdded,
    begin: () => {
      let last: unknown
      return {
        event(event, _state, report) {
          const { type } = itemIn(event)
          if (type === 'reasoning' && last === 'reasoning') report('an item of another type', type)
          last = type
        },
      }
    },
  },
  {
    id: 'incomplete-item-last',
    sentence: 'An item that ends incomplete is the last one, and its response is incomplete, too.',
    neededBy: ['open-responses'],
    severity: 'error',
    on: (kind) => hasItem(kind) || kind.type === 'response.completed',
    begin: () => {
      let incomplete: unknown
      return {
        event(event, { kind }, report) {
          if (kind.isItemAdded && incomplete !== undefined)
            report('no item after an incomplete one', itemIn(event)['type'])
          if (event.type === 'response.completed' && incomplete !== undefined) report('response.incomplete', event.type)
          const { status, id, type } = itemIn(event)
          if (kind.isItemDone && status === 'incomplete' && !asString(type).includes(':')) incomplete = id ?? true
        },
      }
    },
  },
  {
    id: 'within-item',
    sentence: 'Events about an item come between its output_item.added and its output_item.done.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: (kind) => !hasItem(kind),
    begin: stateless((event, state, report) => {
      if (state.item === undefined && 'output_index' in event)
        report(
          'an event about an open item',
          undefined,
          `item ${preview(event['output_index'])}, ${stateOf(event['output_index'], state)}`,
        )
    }),
  },
  {
    id: 'done-text-last',
    sentence: 'The `.done` event of a text comes once, after all its deltas.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: ({ type }) => !type.endsWith('.added'),
    begin: stateless((event, { kind, item, part }, report) => {
      const about = part ?? item
      if (about?.finalText === undefined) return
      if (kind.isDelta || finalTextIn(event) !== undefined)
        report('nothing after the .done event of the text', undefined, event.type)
    }),
  },
  {
    id: 'item-id-matches',
    sentence: 'item_id is the id of the item at the output_index of the event.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    begin: stateless((event, { item }, report) => {
      const { item_id: id } = event
      if (item !== undefined && id !== item.id && 'item_id' in event && !isNameless(item))
        report(`item_id ${preview(item.id)}`, id)
    }),
  },
  {
    id: 'item-id-present',
    sentence: 'Every event about an item has an item_id, except the events of shell commands.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: (kind) => !hasItem(kind) && !kind.isOfShellCommand,
    begin: stateless((event, _state, report) => {
      const { item_id: id } = event
      if (asString(id) === '' && ('output_index' in event || 'content_index' in event)) report('an item_id', id)
    }),
  },
  {
    id: 'terminal-output-is-done-items',
    sentence: 'The output of a completed response lists the done items, in their order, with their ids.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: of('response.completed'),
    begin: stateless((event, state, report) => {
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
    }),
  },
  {
    id: 'terminal-output-not-empty',
    sentence:
      'The output of a completed response is not empty: ChatGPT’s Codex backend sends an empty one, and clients that ' +
      'read it show nothing.',
    neededBy: ['openai'],
    severity: 'warning',
    on: of('response.completed'),
    begin: stateless((event, { done }, report) => {
      if (done.size > 0 && itemsInResponse(event).length === 0 && isCodexBackend(event)) report('the done items', [])
    }),
  },
  {
    id: 'terminal-output-was-streamed',
    sentence:
      'The output of a response that did not complete lists only items that were added, in their order, and all done ' +
      'items.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: of('response.incomplete', 'response.failed'),
    begin: stateless((event, { open, done, resumed }, report) => {
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
    }),
  },
  {
    id: 'terminal-items-unchanged',
    sentence: 'An item in the terminal response equals the item in its output_item.done.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isTerminal,
    begin: stateless((event, { done }, report) => {
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
    }),
  },
]

/** Returns why the item at an index is not open, in words. */
function stateOf(index: unknown, { done }: StreamState): string {
  return done.has(index as number) ? 'which is done' : 'which was not added'
}

/** Whether the item was added before a resumed stream began, and no event has given its id since. */
function isNameless({ id, isResumed }: OpenItem): boolean {
  return isResumed && id === ''
}

/** Whether the response comes from ChatGPT's Codex backend, which sets a user and a cache key, and stores nothing. */
function isCodexBackend(event: StreamEvent): boolean {
  const { store, safety_identifier: user, prompt_cache_key: cache } = asFields(event['response'])
  return store === false && asString(user) !== '' && asString(cache) !== ''
}
