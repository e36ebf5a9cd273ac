import type { Fields } from '../../../shared/fields.js'
import { hasItem, isItemAdded, isItemDone } from '../event-kind.js'
import { type Invariant, responseRules } from '../invariant.js'
import { asFields, asString, lookUp, type StreamEvent } from '../stream-event.js'
import { ITEM_DIFFERS, MISPLACED } from './cause-groups.js'

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

/** Returns the item in an event. */
export const itemIn = (event: StreamEvent): Fields => asFields(event['item'])

/** Rules for the fields of items: their values, and those that never change. */
export const ITEM_FIELDS: readonly Invariant[] = responseRules([
  {
    id: 'item-constant',
    sentence: 'The type, name, namespace, call_id, server_label, role and phase of an item never change.',
    fields: ['item.*'],
    causes: {
      item: [...ITEM_DIFFERS, ...MISPLACED, 'item-id-prefix'],
      event: ['item-is-object', 'item-identity'],
    },
    on: isItemDone,
    event(event, { item }, report) {
      if (item === undefined || item.isResumed) return
      for (const field of CONSTANT) {
        if (field === 'call_id' && CHANGING.test(item.type)) continue
        const [was, is] = [item.added[field], itemIn(event)[field]]
        if (was !== is) report(`${field} ${JSON.stringify(was)}`, is)
      }
    },
  },
  {
    id: 'announced-empty',
    sentence: 'The streamed fields of an added item are empty: LangChain appends the deltas to them.',
    fields: ['item.*'],
    on: isItemAdded,
    event(event, _state, report) {
      const item = itemIn(event)
      for (const field of lookUp(STREAMED, asString(item['type'])) ?? []) {
        const value = item[field] ?? ''
        if (value !== '' && !(Array.isArray(value) && value.length === 0)) report(`${field} to be empty`, value)
      }
    },
  },
  {
    id: 'message-shape',
    sentence: 'The content of a message is an array.',
    fields: ['item.content'],
    on: hasItem,
    event(event, _state, report) {
      const { type, content } = itemIn(event)
      if (type === 'message' && !Array.isArray(content)) report('content as an array', content)
    },
  },
  {
    id: 'message-role',
    sentence: 'The role of a message is assistant.',
    fields: ['item.role'],
    on: hasItem,
    event(event, _state, report) {
      const { type, role } = itemIn(event)
      if (type === 'message' && role !== 'assistant') report('role "assistant"', role)
    },
  },
  {
    id: 'message-phase',
    sentence: 'A phase is commentary or final_answer: Codex and the AI SDK lose a message with any other phase.',
    fields: ['item.phase'],
    on: hasItem,
    event(event, _state, report) {
      const { type, phase = null } = itemIn(event)
      if (type === 'message' && phase !== null && phase !== 'commentary' && phase !== 'final_answer') {
        report('phase "commentary" or "final_answer"', phase)
      }
    },
  },
  {
    id: 'reasoning-summary-list',
    sentence: 'Reasoning has an array of summaries, empty if there are none.',
    fields: ['item.summary'],
    on: hasItem,
    event(event, _state, report) {
      const { type, summary } = itemIn(event)
      if (type === 'reasoning' && !Array.isArray(summary)) report('summary as an array', summary)
    },
  },
])
