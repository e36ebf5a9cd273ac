import { aboutItem } from '../about.js'
import { hasItem, isItemAdded, isItemDone, isOfItem, isTerminal } from '../event-kind.js'
import { type Invariant, of, stateless } from '../invariant.js'
import { jsonHash } from '../json-hash.js'
import { shown } from '../shown.js'
import { type Fields, fieldsOf, lookUp, type StreamEvent, textOf, wordFor } from '../stream-event.js'
import { isListedElsewhere, type OpenItem, outputOf, type StreamState, toldBy } from '../stream-state.js'

/** The prefixes of ids, by the type of item. A type that is not here may have any. */
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

/** Fields that are streamed: the announced item has them empty. Clients add the deltas to what was announced. */
const STREAMED: Readonly<Record<string, readonly string[]>> = {
  message: ['content'],
  reasoning: ['content', 'summary'],
  function_call: ['arguments'],
  custom_tool_call: ['input'],
  mcp_call: ['arguments'],
  code_interpreter_call: ['code'],
}

/** What never changes of an item between its announcement and its end. */
const CONSTANT = ['type', 'name', 'namespace', 'call_id', 'server_label', 'role', 'phase'] as const

/** A tool search of OpenAI's has another call_id when it is done. */
const CHANGING = /^tool_search_/

/** OpenAI encrypts these anew each time. */
const ENCRYPTED: ReadonlySet<string> = new Set(['encrypted_content', 'fingerprint'])

const itemIn = (event: StreamEvent): Fields => fieldsOf(event['item'])

/** Of items: their order, who they are, and that they stay so. */
export const ITEMS: readonly Invariant[] = [
  {
    id: 'output-index-order',
    sentence: 'output_index is 0, 1, 2, ... in the order in which items are announced.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isItemAdded,
    begin: () => {
      let next: number | undefined
      return {
        event(event, { resumed }, tell) {
          const { output_index: index } = event
          next ??= resumed !== undefined && Number.isInteger(index) ? (index as number) : 0
          if (index !== next) tell(`output_index ${next}`, index, undefined, { about: { outputIndex: next } })
          // One gap is one violation: what follows is held against it.
          next = typeof index === 'number' && Number.isInteger(index) ? index + 1 : next + 1
        },
      }
    },
  },
  {
    id: 'output-index-present',
    sentence: 'Every event about an item says which: AI SDK and LangChain lose calls without.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isOfItem,
    begin: stateless((event, _reading, tell) => {
      const { output_index: index } = event
      if (!Number.isInteger(index)) tell('an output_index', index)
    }),
  },
  {
    id: 'output-index-free',
    sentence: 'No item is announced at the index of another.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isItemAdded,
    begin: stateless((event, { open, done }, tell) => {
      const index = event['output_index'] as number
      if (open.has(index) || done.has(index)) tell('an output_index of its own', index)
    }),
  },
  {
    id: 'item-has-id',
    sentence: 'An item has an id.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isItemAdded,
    begin: stateless((event, _reading, tell) => {
      const { id } = itemIn(event)
      if (textOf(id) === '') tell('an id', id)
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
        event(event, _reading, tell) {
          const id = textOf(itemIn(event)['id'])
          if (id !== '' && ids.has(id)) tell('an id of its own', id)
          ids.add(id)
        },
      }
    },
  },
  {
    id: 'item-id-prefix',
    sentence: 'An id begins as the ids of its type do.',
    neededBy: ['openai'],
    // No client looks at it; recorders shorten ids, and other servers have their own.
    severity: 'warning',
    on: isItemAdded,
    begin: stateless((event, _reading, tell) => {
      const { id, type } = itemIn(event)
      const prefix = lookUp(PREFIXES, textOf(type))
      if (prefix !== undefined && !textOf(id).startsWith(prefix)) tell(`an id with ${prefix}`, id)
    }),
  },
  {
    id: 'done-was-added',
    sentence: 'What is done was announced.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isItemDone,
    begin: stateless((event, reading, tell) => {
      const { output_index: index } = event
      // Without an index it is another fault, and Codex needs none.
      if (!Number.isInteger(index) || reading.item !== undefined) return
      if (!reading.done.has(index as number)) tell('an item that was announced', undefined, `item ${index}`)
    }),
  },
  {
    id: 'done-once',
    sentence: 'What is done is done once: Codex and the AI SDK run a call each time.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isItemDone,
    begin: stateless((event, { open, done }, tell) => {
      const index = event['output_index'] as number
      if (done.has(index) && !open.has(index))
        tell('no second output_item.done', undefined, `one of item ${shown(index)}`)
    }),
  },
  {
    id: 'item-identity',
    sentence: 'An item has the same id when it is done as when it was announced.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isItemDone,
    begin: stateless((event, { item }, tell) => {
      const { id } = itemIn(event)
      if (item !== undefined && item.id !== id && !isNameless(item)) tell(`id ${shown(item.id)}`, id)
    }),
  },
  {
    id: 'item-constant',
    sentence: 'Type, name, call_id, server_label, role and phase of an item never change.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isItemDone,
    begin: stateless((event, { item }, tell) => {
      if (item === undefined || item.isResumed) return
      for (const field of CONSTANT) {
        if (field === 'call_id' && CHANGING.test(item.type)) continue
        const [was, is] = [item.added[field], itemIn(event)[field]]
        if (was !== is) tell(`${field} ${JSON.stringify(was)}`, is)
      }
    }),
  },
  {
    id: 'announced-empty',
    sentence: 'An item is announced without what is streamed: LangChain adds the deltas to it.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isItemAdded,
    begin: stateless((event, _reading, tell) => {
      const item = itemIn(event)
      for (const field of lookUp(STREAMED, textOf(item['type'])) ?? []) {
        const value = item[field] ?? ''
        if (value !== '' && !(Array.isArray(value) && value.length === 0)) tell(`${field} empty`, value)
      }
    }),
  },
  {
    id: 'message-shape',
    sentence: 'A message has a list of content.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: hasItem,
    begin: stateless((event, _reading, tell) => {
      const { type, content } = itemIn(event)
      if (type === 'message' && !Array.isArray(content)) tell('content, a list', content)
    }),
  },
  {
    id: 'message-role',
    sentence: 'A message is the assistant’s.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: hasItem,
    begin: stateless((event, _reading, tell) => {
      const { type, role } = itemIn(event)
      if (type === 'message' && role !== 'assistant') tell('role "assistant"', role)
    }),
  },
  {
    id: 'message-phase',
    sentence: 'A phase is commentary or final_answer: Codex and the AI SDK lose a message with any other.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: hasItem,
    begin: stateless((event, _reading, tell) => {
      const { type, phase = null } = itemIn(event)
      if (type === 'message' && phase !== null && phase !== 'commentary' && phase !== 'final_answer') {
        tell('"commentary" or "final_answer"', phase)
      }
    }),
  },
  {
    id: 'reasoning-summary-list',
    sentence: 'Reasoning has a list of summaries, empty if there is none.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: hasItem,
    begin: stateless((event, _reading, tell) => {
      const { type, summary } = itemIn(event)
      if (type === 'reasoning' && !Array.isArray(summary)) tell('summary, a list', summary)
    }),
  },
  {
    id: 'event-of-its-item',
    sentence: 'An event is about an item of the type that it is for.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: ({ owner }) => owner !== undefined,
    begin: stateless((event, { kind, item, part }, tell) => {
      if (item === undefined) return
      if (item.type !== kind.owner) tell(`an event of ${item.type}`, undefined, event.type)
      const announced = part?.announced['type']
      if (kind.partType !== undefined && announced !== undefined && announced !== kind.partType)
        tell(`an event of ${shown(announced)}`, undefined, event.type)
    }),
  },
  {
    id: 'reasoning-not-adjacent',
    sentence: 'Two reasoning items never stand beside each other.',
    neededBy: ['openai'],
    severity: 'warning',
    fault: 'model',
    on: isItemAdded,
    begin: () => {
      let last: unknown
      return {
        event(event, _reading, tell) {
          const { type } = itemIn(event)
          if (type === 'reasoning' && last === 'reasoning') tell('an item of another type', type)
          last = type
        },
      }
    },
  },
  {
    id: 'incomplete-item-last',
    sentence: 'An item that ends incomplete is the last, and the response is incomplete.',
    neededBy: ['open-responses'],
    severity: 'error',
    on: (kind) => hasItem(kind) || kind.type === 'response.completed',
    begin: () => {
      let incomplete: unknown
      return {
        event(event, { kind }, tell) {
          if (kind.isItemAdded && incomplete !== undefined)
            tell('no item after an incomplete one', itemIn(event)['type'])
          if (event.type === 'response.completed' && incomplete !== undefined) tell('response.incomplete', event.type)
          const { status, id, type } = itemIn(event)
          if (kind.isItemDone && status === 'incomplete' && !textOf(type).includes(':')) incomplete = id ?? true
        },
      }
    },
  },
  {
    id: 'within-item',
    sentence: 'Events about an item come between its announcement and its end.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: (kind) => !hasItem(kind),
    begin: stateless((event, reading, tell) => {
      if (reading.item === undefined && 'output_index' in event)
        tell(
          'an item that is open',
          undefined,
          `item ${shown(event['output_index'])}, ${stateOf(event['output_index'], reading)}`,
        )
    }),
  },
  {
    id: 'told-last',
    sentence: 'A text is told as a whole once, behind all its deltas.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: ({ type }) => !type.endsWith('.added'),
    begin: stateless((event, { kind, item, part }, tell) => {
      const about = part ?? item
      if (about?.told === undefined) return
      if (kind.isDelta || toldBy(event) !== undefined) tell('nothing after the whole text', undefined, event.type)
    }),
  },
  {
    id: 'item-id-matches',
    sentence: 'item_id is the id of the item at its output_index.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    begin: stateless((event, { item }, tell) => {
      const { item_id: id } = event
      if (item !== undefined && id !== item.id && 'item_id' in event && !isNameless(item))
        tell(`item_id ${shown(item.id)}`, id)
    }),
  },
  {
    id: 'item-id-present',
    sentence: 'Every event about an item has its item_id, but for the commands of a shell call.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: (kind) => !hasItem(kind) && !kind.isOfShellCommand,
    begin: stateless((event, _reading, tell) => {
      const { item_id: id } = event
      if (textOf(id) === '' && ('output_index' in event || 'content_index' in event)) tell('an item_id', id)
    }),
  },
  {
    id: 'terminal-output-is-done-items',
    sentence: 'The output of a completed response is the items that were done, in their order, with their ids.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: of('response.completed'),
    begin: stateless((event, reading, tell) => {
      if (!Array.isArray(fieldsOf(event['response'])['output'])) return
      const { open, done, resumed } = reading
      const unfinished = [...open].filter(([, item]) => isListedElsewhere(item, reading))
      const items = [...unfinished, ...done].sort(([a], [b]) => a - b)
      const streamed = items.map(([, item]) => item.id)
      const all = outputOf(event).map(({ id }) => wordFor(id))
      if (all.length === 0 && isCodexBackend(event)) return
      // What was made before the stream was resumed stands before the rest.
      const output = resumed === undefined ? all : all.slice(streamed.length === 0 ? all.length : items[0]?.[0])
      const listed = (ids: readonly string[]): string => (ids.length === 0 ? 'no item' : `items ${ids.join(', ')}`)
      if (streamed.join() !== output.join()) tell(listed(streamed), output, listed(output))
    }),
  },
  {
    id: 'terminal-output-not-empty',
    sentence:
      'A completed response holds what was made: ChatGPT’s Codex backend sends an empty output, and clients that read it ' +
      'show nothing.',
    neededBy: ['openai'],
    severity: 'warning',
    on: of('response.completed'),
    begin: stateless((event, { done }, tell) => {
      if (done.size > 0 && outputOf(event).length === 0 && isCodexBackend(event)) tell('the items that were done', [])
    }),
  },
  {
    id: 'terminal-output-was-streamed',
    sentence:
      'What a response that was not completed says was made was announced, in its order, and holds all that was done.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: of('response.incomplete', 'response.failed'),
    begin: stateless((event, { open, done, resumed }, tell) => {
      const items = [...open, ...done].sort(([a], [b]) => a - b)
      const streamed = items.map(([, { id }]) => id)
      const all = outputOf(event).map(({ id }) => textOf(id))
      const output = resumed === undefined ? all : all.slice(streamed.length === 0 ? all.length : items[0]?.[0])
      const places = output.map((id) => streamed.indexOf(id))
      for (const [index, place] of places.entries()) {
        if (place < 0) tell('an item that was streamed', output[index])
        else if (place <= (places[index - 1] ?? -1))
          tell(`${output[index]} before ${output[index - 1]}`, undefined, 'it after')
      }
      // What a failed response keeps, nobody has seen on the real wire.
      if (event.type === 'response.failed') return
      for (const { id, type } of done.values())
        if (!output.includes(id)) tell(`${type} ${id}`, undefined, 'an output without it')
    }),
  },
  {
    id: 'terminal-items-unchanged',
    sentence: 'An item in the terminal response is what it was when it was done.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isTerminal,
    begin: stateless((event, { done }, tell) => {
      const output = new Map(outputOf(event).map((item) => [textOf(item['id']), item]))
      for (const [index, { id, type, fields }] of done) {
        const item = output.get(id)
        if (item === undefined) continue
        const missing = [...fields.keys()].filter((name) => !Object.hasOwn(item, name))
        const differs = Object.keys(item)
          .filter((name) => fields.get(name) !== jsonHash(item[name]))
          .concat(missing)
          .filter((name) => !ENCRYPTED.has(name))
        if (differs.length > 0)
          tell(`${type} ${id} as it was done`, undefined, `another ${differs.join(', ')}`, {
            about: aboutItem(index, id),
          })
      }
    }),
  },
]

/** What is known of the item that an event about no open item names. */
function stateOf(index: unknown, { done }: StreamState): string {
  return done.has(index as number) ? 'which is done' : 'which was not announced'
}

/** Whether nothing told the id of an item that was announced before the stream began. */
function isNameless({ id, isResumed }: OpenItem): boolean {
  return isResumed && id === ''
}

/** Whether the response is of ChatGPT's Codex backend: it names its users and its cache, and stores nothing. */
function isCodexBackend(event: StreamEvent): boolean {
  const { store, safety_identifier: user, prompt_cache_key: cache } = fieldsOf(event['response'])
  return store === false && textOf(user) !== '' && textOf(cache) !== ''
}
