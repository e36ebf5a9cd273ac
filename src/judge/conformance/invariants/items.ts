import { type EventKind, hasItem, isItemAdded, isItemDone, isOfItem } from '../event-kind.js'
import { type Check, type Invariant, responseRules } from '../invariant.js'
import { preview } from '../preview.js'
import { asString, lookUp } from '../stream-event.js'
import { finalTextIn, type OpenItem, type StreamState } from '../stream-state.js'
import { MISNAMED, MISPLACED, PART_MISPLACED, TEXT_DIFFERS } from './cause-groups.js'
import { ITEM_FIELDS, itemIn } from './item-fields.js'

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

/** The types of items that the model writes whole. Other calls are incomplete where nobody ran them. */
const WRITTEN: readonly string[] = ['message', 'reasoning', 'function_call', 'custom_tool_call']

/** Rules for items: their order, their ids, their fields, and the events about them. */
export const ITEMS: readonly Invariant[] = responseRules([
  {
    id: 'output-index-order',
    sentence: 'output_index is 0, 1, 2, ... in the order in which items are added.',
    fields: ['output_index'],
    needsOrder: true,
    causes: {
      item: MISPLACED,
      event: ['output-index-free', 'output-index-present', 'item-is-object'],
    },
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
    fields: ['output_index'],
    causes: { event: ['event-shape:output_index'] },
    on: isOfItem,
    event(event, _state, report) {
      const { output_index: index } = event
      if (!Number.isInteger(index)) report('an output_index', index)
    },
  },
  {
    id: 'output-index-free',
    sentence: 'No item is added at the output_index of another item.',
    fields: ['output_index'],
    needsOrder: true,
    causes: { item: MISPLACED },
    on: isItemAdded,
    event(event, { open, done }, report) {
      const index = event['output_index'] as number
      if (open.has(index) || done.has(index)) report('an output_index that is not in use', index)
    },
  },
  {
    id: 'item-has-id',
    sentence: 'An item has an id.',
    fields: ['item.id'],
    causes: { event: ['item-is-object'] },
    on: isItemAdded,
    event(event, _state, report) {
      const { id } = itemIn(event)
      if (asString(id) === '') report('an id', id)
    },
  },
  {
    id: 'item-ids-differ',
    sentence: 'No two items have the same id.',
    needsOrder: true,
    causes: { item: ['output-index-free', 'done-once'], event: ['output-index-free'] },
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
    fields: ['item.id'],
    causes: { item: ['event-shape:item.type'], event: ['item-has-id', 'item-is-object'] },
    on: isItemAdded,
    event(event, _state, report) {
      const { id, type } = itemIn(event)
      const prefix = lookUp(PREFIXES, asString(type))
      if (prefix !== undefined && !asString(id).startsWith(prefix)) report(`an id that starts with ${prefix}`, id)
    },
  },
  {
    id: 'done-was-added',
    sentence: 'An item that is done was added before.',
    needsOrder: true,
    causes: { item: [...MISPLACED, ...MISNAMED], event: ['output-index-present', 'item-is-object'] },
    on: isItemDone,
    event(event, state, report) {
      const { output_index: index } = event
      // `output-index-present` reports a missing index, and Codex needs none.
      if (!Number.isInteger(index) || state.item !== undefined) return
      if (!state.done.has(index as number)) report('an item that was added', undefined, `item ${index}`)
    },
  },
  {
    id: 'done-once',
    sentence: 'An item is done once: Codex and the AI SDK run a call at each output_item.done.',
    needsOrder: true,
    causes: { item: MISPLACED },
    on: isItemDone,
    event(event, { open, done }, report) {
      const index = event['output_index'] as number
      if (done.has(index) && !open.has(index))
        report('no second output_item.done', undefined, `another one of item ${preview(index)}`)
    },
  },
  {
    id: 'item-identity',
    sentence: 'An item has the same id in output_item.added and output_item.done.',
    fields: ['item.id'],
    causes: { item: [...MISNAMED, ...MISPLACED], event: ['item-is-object'] },
    on: isItemDone,
    event(event, { item }, report) {
      const { id } = itemIn(event)
      if (item !== undefined && item.id !== id && !isNameless(item)) report(`id ${preview(item.id)}`, id)
    },
  },
  ...ITEM_FIELDS,
  {
    id: 'event-of-its-item',
    sentence: 'The type of an event fits the type of its item.',
    causes: {
      item: [...MISPLACED, 'item-id-prefix', 'part-kind', 'announced-part-empty', 'event-shape:part'],
    },
    on: ({ itemType }) => itemType !== undefined,
    event(event, { kind, item, part }, report) {
      if (item === undefined) return
      if (item.type !== kind.itemType) report(`an event for an item of type ${item.type}`, undefined, event.type)
      const announced = part?.announced['type']
      if (kind.partType !== undefined && announced !== undefined && announced !== kind.partType)
        report(`an event for a part of type ${preview(announced)}`, undefined, event.type)
    },
  },
  {
    id: 'reasoning-not-adjacent',
    sentence: 'Two reasoning items never follow each other directly.',
    neededBy: ['openai'],
    severity: 'warning',
    fault: 'model',
    needsOrder: true,
    causes: { event: ['output-index-free', 'output-index-order'] },
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
    sentence:
      'A message, reasoning or call of the client that ends incomplete is the last item, and its response is incomplete, too.',
    causes: { event: ['terminal-type-is-status'] },
    on: isItemOrEnd,
    begin: () => incompleteLast((type) => WRITTEN.includes(type)),
  },
  {
    id: 'incomplete-call-last',
    sentence: 'A call of the host that ends incomplete is the last item, and its response is incomplete, too.',
    neededBy: ['open-responses'],
    causes: { event: ['terminal-type-is-status'] },
    on: isItemOrEnd,
    begin: () => incompleteLast((type) => !WRITTEN.includes(type) && !type.includes(':')),
  },
  {
    id: 'within-item',
    sentence: 'Events about an item come between its output_item.added and its output_item.done.',
    fields: ['output_index'],
    needsOrder: true,
    causes: {
      item: [...MISPLACED, 'every-part-done', 'call-done-event', 'text-done-event', 'message-closing-order'],
    },
    on: (kind) => !hasItem(kind),
    event(event, state, report) {
      if (state.item === undefined && 'output_index' in event)
        report(
          'an event about an open item',
          undefined,
          `item ${preview(event['output_index'])}, ${stateOf(event['output_index'], state)}`,
        )
    },
  },
  {
    id: 'done-text-last',
    sentence: 'The `.done` event of a text comes once, after all its deltas.',
    needsOrder: true,
    causes: { item: [...PART_MISPLACED, ...TEXT_DIFFERS] },
    on: ({ type }) => !type.endsWith('.added'),
    event(event, { kind, item, part }, report) {
      const about = part ?? item
      if (about?.finalText === undefined) return
      if (kind.isDelta || finalTextIn(event) !== undefined)
        report('nothing after the .done event of the text', undefined, event.type)
    },
  },
  {
    id: 'item-id-matches',
    sentence: 'item_id is the id of the item at the output_index of the event.',
    fields: ['item_id'],
    causes: { item: [...MISNAMED, 'output-index-free', 'done-once'], event: ['item-id-present'] },
    event(event, { item }, report) {
      const { item_id: id } = event
      if (item !== undefined && id !== item.id && 'item_id' in event && !isNameless(item))
        report(`item_id ${preview(item.id)}`, id)
    },
  },
  {
    id: 'item-id-present',
    sentence: 'Every event about an item has an item_id, except the events of shell commands.',
    fields: ['item_id'],
    causes: { item: ['item-has-id'] },
    on: (kind) => !hasItem(kind) && !kind.isOfShellCommand,
    event(event, _state, report) {
      const { item_id: id } = event
      if (asString(id) === '' && ('output_index' in event || 'content_index' in event)) report('an item_id', id)
    },
  },
])

function isItemOrEnd(kind: EventKind): boolean {
  return hasItem(kind) || kind.type === 'response.completed'
}

/** A check that nothing but an incomplete response follows an item of these types that ends incomplete. */
function incompleteLast(isMeant: (type: string) => boolean): Check {
  let incomplete: unknown
  return {
    event(event, { kind }, report) {
      if (kind.isItemAdded && incomplete !== undefined) report('no item after an incomplete one', itemIn(event)['type'])
      if (event.type === 'response.completed' && incomplete !== undefined) report('response.incomplete', event.type)
      const { status, id, type } = itemIn(event)
      if (kind.isItemDone && status === 'incomplete' && isMeant(asString(type))) incomplete = id ?? true
    },
  }
}

/** Returns why the item at an index is not open, in words. */
function stateOf(index: unknown, { done }: StreamState): string {
  return done.has(index as number) ? 'which is done' : 'which was not added'
}

/** Whether the item was added before a resumed stream began, and no event has given its id since. */
function isNameless({ id, isResumed }: OpenItem): boolean {
  return isResumed && id === ''
}
