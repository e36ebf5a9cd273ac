import { hasItem, isItemDone } from '../event-kind.js'
import { type Invariant, of, stateless, type Tell } from '../invariant.js'
import { shown } from '../shown.js'
import { type Fields, fieldsOf, listOf, lookUp, textOf } from '../stream-event.js'
import { isToldBy, outputOf, toldBy } from '../stream-state.js'
import { tellApart } from '../tell-apart.js'

/** What a call is made of: the field of its item, and what its events are called. */
const CALLS_OF: Readonly<Record<string, { readonly field: string; readonly events: string }>> = {
  function_call: { field: 'arguments', events: 'response.function_call_arguments' },
  custom_tool_call: { field: 'input', events: 'response.custom_tool_call_input' },
  mcp_call: { field: 'arguments', events: 'response.mcp_call_arguments' },
  code_interpreter_call: { field: 'code', events: 'response.code_interpreter_call_code' },
}

/** In which order a code interpreter works. */
const CODE_ORDER = [
  'response.code_interpreter_call.in_progress',
  'response.code_interpreter_call_code.delta',
  'response.code_interpreter_call_code.done',
  'response.code_interpreter_call.interpreting',
  'response.code_interpreter_call.completed',
]

/** How an MCP call ends. */
const MCP_ENDS = ['response.mcp_call.completed', 'response.mcp_call.failed']

/** Whom a client answers, and what an answer names, by call_id. */
const ANSWERED = /^(function_call|custom_tool_call|shell_call|shell_call_output)$/

/** Of calls: what they are made of, and by what ids they are answered. */
export const CALLS: readonly Invariant[] = [
  {
    id: 'call-is-deltas',
    sentence: 'The arguments, input or code of a call is its deltas, in the event that tells it and in the item.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: ({ isDone }) => isDone,
    begin: stateless((event, { kind, item }, tell) => {
      const call = item && lookUp(CALLS_OF, item.type)
      if (item === undefined || call === undefined) return
      const said = item.deltas.join('')
      // LM Studio tells arguments as a whole, without a delta; who needs one has an invariant for it.
      const isTold = event.type === `${call.events}.done` && item.deltas.length > 0
      if (isTold && !isToldBy(toldBy(event), said, item)) tellApart('its deltas,', said, toldBy(event), tell)
      if (!kind.isItemDone) return
      const held = fieldsOf(event['item'])[call.field]
      const whole = item.told ?? said
      if (item.told === undefined ? !isToldBy(held, said, item) : held !== whole)
        tellApart(`${call.field} as it was told,`, whole, held, tell)
    }),
  },
  {
    id: 'shell-command-is-deltas',
    sentence: 'A command of a shell call is its deltas.',
    neededBy: ['openai'],
    severity: 'error',
    on: of('response.shell_call_command.done'),
    begin: stateless((event, { item }, tell) => {
      if (item === undefined) return
      const said = item.deltas.join('')
      if (!isToldBy(toldBy(event), said, item)) tellApart('its deltas,', said, toldBy(event), tell)
    }),
  },
  {
    id: 'call-told',
    sentence: 'What a call is made of is told as a whole before it is done.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: isItemDone,
    begin: stateless((_event, { item }, tell) => {
      const call = item && lookUp(CALLS_OF, item.type)
      // The only captured custom tool call of OpenAI's lacks the event; xAI's have it.
      if (item === undefined || item.isResumed || call === undefined || item.type === 'custom_tool_call') return
      if (item.told === undefined) tell(`${call.events}.done`, undefined, 'none')
    }),
  },
  {
    id: 'function-call-has-delta',
    sentence: 'A function call has a delta: LangChain takes its arguments from nothing else.',
    neededBy: ['open-responses'],
    severity: 'error',
    on: isItemDone,
    begin: stateless((_event, { item }, tell) => {
      if (item?.type === 'function_call' && !item.isResumed && item.deltas.length === 0)
        tell('response.function_call_arguments.delta', undefined, 'none')
    }),
  },
  {
    id: 'function-arguments-json',
    sentence: 'The arguments of a completed function call are JSON.',
    neededBy: ['openai'],
    severity: 'error',
    fault: 'model',
    on: isItemDone,
    begin: stateless((event, _reading, tell) => {
      const { type, status, arguments: call } = fieldsOf(event['item'])
      if (type !== 'function_call' || status !== 'completed' || isJson(call)) return
      // A model writes text. Whatever else stands here, the server made of it.
      if (typeof call === 'string') tell('JSON', call)
      else tell('arguments, JSON in a string', call, undefined, { fault: 'server' })
    }),
  },
  {
    id: 'call-fields',
    sentence:
      'A function call has its id, call_id, name and arguments when it is announced, and a status when it is done.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: hasItem,
    begin: stateless((event, { kind }, tell) => {
      const item = fieldsOf(event['item'])
      if (item['type'] !== 'function_call') return
      for (const field of ['id', 'call_id', 'name', 'arguments']) {
        if (typeof item[field] !== 'string') tell(`${field}, a string`, item[field])
      }
      if (kind.isItemDone && typeof item['status'] !== 'string') tell('status, a string', item['status'])
    }),
  },
  {
    id: 'call-id',
    sentence: 'A call that the client answers has a call_id, which is not the id of its item.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: hasItem,
    begin: stateless((event, _reading, tell) => {
      const { type, id, call_id } = fieldsOf(event['item'])
      if (!ANSWERED.test(textOf(type))) return
      if (textOf(call_id) === '') tell('a call_id', call_id)
      else if (call_id === id) tell('a call_id of its own', call_id)
    }),
  },
  {
    id: 'call-ids-differ',
    sentence: 'No two calls have the same call_id: answers would go to the wrong one.',
    neededBy: ['openai', 'open-responses'],
    severity: 'error',
    on: ({ isItemAdded, isTerminal }) => isItemAdded || isTerminal,
    begin: () => {
      const ids = new Set<unknown>()
      return {
        event(event, { kind }, tell) {
          if (kind.isItemAdded) callIdsOf([fieldsOf(event['item'])], ids, tell)
          else callIdsOf(outputOf(event), new Set(), tell)
        },
      }
    },
  },
  {
    id: 'shell-command-order',
    sentence: 'A command of a shell call is announced before it is written, in the order of its index.',
    neededBy: ['openai'],
    severity: 'error',
    on: ({ type }) => type.startsWith('response.shell_call_command.'),
    begin: () => {
      const announced = new Map<unknown, number>()
      return {
        event({ type, output_index, command_index }, { item }, tell) {
          if (item?.isResumed === true) return
          const count = announced.get(output_index) ?? 0
          if (type.endsWith('.added')) {
            if (command_index !== count) tell(`command_index ${count}`, command_index)
            announced.set(output_index, count + 1)
          } else if (!isBelow(command_index, count))
            tell('a command that was announced', undefined, `command ${shown(command_index)}`)
        },
      }
    },
  },
  {
    id: 'shell-output-command',
    sentence: 'What a shell printed is of a command of the call that it answers.',
    neededBy: ['openai'],
    severity: 'error',
    on: ({ type, isItemDone }) => isItemDone || type.startsWith('response.shell_call_output_content.'),
    begin: () => {
      const commands = new Map<unknown, number>()
      return {
        event(event, { kind, item }, tell) {
          if (item?.type === 'shell_call' && kind.isItemDone) {
            const { call_id, action } = fieldsOf(event['item'])
            commands.set(call_id, listOf(fieldsOf(action)['commands']).length)
          } else if (item?.type === 'shell_call_output' && !kind.isItemDone) {
            // The call may be of an earlier response.
            const count = commands.get(item.added['call_id']) ?? Number.POSITIVE_INFINITY
            const { command_index: index } = event
            if (!isBelow(index, count)) tell('a command of its call', undefined, `command ${shown(index)}`)
          }
        },
      }
    },
  },
  {
    id: 'call-id-prefix',
    sentence: 'A call_id begins with call_.',
    neededBy: ['openai'],
    severity: 'warning',
    on: hasItem,
    begin: stateless((event, _reading, tell) => {
      const { type, call_id } = fieldsOf(event['item'])
      const isClients = type === 'function_call' || type === 'custom_tool_call'
      if (isClients && !textOf(call_id).startsWith('call_')) tell('a call_id with call_', call_id)
    }),
  },
  {
    id: 'code-interpreter-order',
    sentence: 'A code interpreter call is in progress, then written, then run, then completed.',
    neededBy: ['openai'],
    severity: 'error',
    on: of(...CODE_ORDER),
    begin: stateless((event, { item }, tell) => {
      if (item?.type !== 'code_interpreter_call') return
      const at = CODE_ORDER.indexOf(event.type)
      const late = CODE_ORDER.find((type, index) => index > at && item.seen.has(type))
      if (late !== undefined) tell(`${event.type} before ${late}`, undefined, 'it after')
    }),
  },
  {
    id: 'mcp-call-ends-once',
    sentence: 'An MCP call completes or fails, once, behind its arguments, and its item says the same.',
    neededBy: ['openai'],
    severity: 'error',
    on: of('response.output_item.done', ...MCP_ENDS),
    begin: stateless((event, { kind, item }, tell) => {
      if (item?.type !== 'mcp_call' || item.isResumed) return
      const ends = MCP_ENDS.filter((type) => item.seen.has(type))
      if (kind.isItemDone) {
        const { status } = fieldsOf(event['item'])
        const told = ends[0]?.replace('response.mcp_call.', '')
        if (told === undefined && status === 'completed') tell('response.mcp_call.completed', undefined, 'none')
        // In 2025, an MCP call had no status.
        if (told !== undefined && status !== undefined && status !== told) tell(`status "${told}"`, status)
      } else {
        if (ends.length > 0) tell('no second end', undefined, event.type)
        if (item.told === undefined) tell('response.mcp_call_arguments.done before it', undefined, 'none')
      }
    }),
  },
]

/** Adds the call_ids of items, and tells those that are there already. */
function callIdsOf(items: readonly Fields[], ids: Set<unknown>, tell: Tell): void {
  for (const { type, call_id } of items) {
    if (!/^(function|custom_tool|shell)_call$/.test(textOf(type))) continue
    if (textOf(call_id) !== '' && ids.has(call_id)) tell('a call_id of its own', call_id)
    ids.add(call_id)
  }
}

function isBelow(index: unknown, count: number): boolean {
  return Number.isInteger(index) && Number(index) >= 0 && Number(index) < count
}

function isJson(text: unknown): boolean {
  // Most that is none shows at once, and an exception takes as long as ten events.
  if (!/^[\t\n\r ]*[[{"\-\dtfn]/.test(textOf(text))) return false
  try {
    JSON.parse(textOf(text))
    return true
  } catch {
    return false
  }
}
