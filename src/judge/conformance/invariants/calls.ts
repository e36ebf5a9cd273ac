import type { Fields } from '../../../shared/fields.js'
import { hasItem, isItemDone } from '../event-kind.js'
import { type Invariant, of, type ReportViolation, responseRules } from '../invariant.js'
import { isEncodedTwice, isJson } from '../json-text.js'
import { preview } from '../preview.js'
import { checkDeltas, reportDifference } from '../report-difference.js'
import { asFields, asList, asString, isIndex, lookUp } from '../stream-event.js'
import { finalTextIn, itemsInResponse, matchesDeltas } from '../stream-state.js'
import { MISPLACED, TEXT_DIFFERS } from './cause-groups.js'

/** By call type: the item's field with the streamed text, and the prefix of the events that stream it. */
const STREAMED_CALLS: Readonly<Record<string, { readonly field: string; readonly events: string }>> = {
  function_call: { field: 'arguments', events: 'response.function_call_arguments' },
  custom_tool_call: { field: 'input', events: 'response.custom_tool_call_input' },
  mcp_call: { field: 'arguments', events: 'response.mcp_call_arguments' },
  code_interpreter_call: { field: 'code', events: 'response.code_interpreter_call_code' },
}

/** The events of a code interpreter call, in order. */
const CODE_ORDER = [
  'response.code_interpreter_call.in_progress',
  'response.code_interpreter_call_code.delta',
  'response.code_interpreter_call_code.done',
  'response.code_interpreter_call.interpreting',
  'response.code_interpreter_call.completed',
]

/** What a hosted call does between its beginning and its end. */
const WORK: Readonly<Record<string, string>> = {
  web_search_call: 'searching',
  file_search_call: 'searching',
  code_interpreter_call: 'interpreting',
  image_generation_call: 'generating',
}

const PROGRESS = ['in_progress', 'searching', 'generating', 'completed']

const HOSTED_PROGRESS =
  /^response\.(?:web_search|file_search|image_generation)_call\.(?:in_progress|searching|generating|completed)$/

const momentOf = (type: string): string => type.split('.').at(-1) ?? ''

/** The events that end an MCP call. */
const MCP_ENDS = ['response.mcp_call.completed', 'response.mcp_call.failed']

/** Item types with a call_id: calls that the client answers, and their answers. */
const ANSWERED = /^(function_call|custom_tool_call|shell_call|shell_call_output)$/

/** Rules for calls: their arguments, input or code, and their ids. */
export const CALLS: readonly Invariant[] = responseRules([
  {
    id: 'call-is-deltas',
    sentence: 'The arguments, input or code of a call equal its joined deltas, in the `.done` event and in the item.',
    fields: ['arguments', 'input', 'code', 'item.arguments', 'item.input', 'item.code'],
    needsOrder: true,
    causes: { item: [...MISPLACED, ...TEXT_DIFFERS, 'call-fields', 'event-shape:item.arguments'] },
    on: ({ isDone }) => isDone,
    event(event, { kind, item }, report) {
      const call = item && lookUp(STREAMED_CALLS, item.type)
      if (item === undefined || call === undefined) return
      const streamed = item.deltas.join('')
      // LM Studio sends complete arguments without a delta; `function-call-has-delta` reports that where it matters.
      const hasFinalText = event.type === `${call.events}.done` && item.deltas.length > 0
      if (hasFinalText) checkDeltas(finalTextIn(event), item, report)
      if (!kind.isItemDone) return
      const held = asFields(event['item'])[call.field]
      const whole = item.finalText ?? streamed
      if (item.finalText === undefined ? !matchesDeltas(held, streamed, item) : held !== whole)
        reportDifference(`${call.field} as streamed,`, whole, held, report)
    },
  },
  {
    id: 'shell-command-is-deltas',
    sentence: 'A command of a shell call equals its joined deltas.',
    neededBy: ['openai'],
    fields: ['command'],
    needsOrder: true,
    causes: { item: [...MISPLACED, ...TEXT_DIFFERS, 'shell-command-order'] },
    on: of('response.shell_call_command.done'),
    event(event, { item }, report) {
      if (item !== undefined) checkDeltas(finalTextIn(event), item, report)
    },
  },
  {
    id: 'call-done-event',
    sentence: 'A `.done` event with the complete arguments, input or code comes before the call is done.',
    needsOrder: true,
    causes: { item: [...MISPLACED, ...TEXT_DIFFERS, 'mcp-call-ends-once'] },
    on: isItemDone,
    event(_event, { item }, report) {
      const call = item && lookUp(STREAMED_CALLS, item.type)
      // The only captured custom tool call from OpenAI lacks the event; those from xAI have it.
      if (item === undefined || item.isResumed || call === undefined || item.type === 'custom_tool_call') return
      if (item.finalText === undefined) report(`${call.events}.done`, undefined, 'none')
    },
  },
  {
    id: 'function-call-has-delta',
    sentence: 'A function call has at least one delta: LangChain reads its arguments from deltas alone.',
    neededBy: ['open-responses'],
    needsOrder: true,
    causes: { item: [...MISPLACED, ...TEXT_DIFFERS] },
    on: isItemDone,
    event(_event, { item }, report) {
      if (item?.type === 'function_call' && !item.isResumed && item.deltas.length === 0)
        report('response.function_call_arguments.delta', undefined, 'none')
    },
  },
  {
    id: 'function-arguments-json',
    sentence: 'The arguments of a completed function call are valid JSON.',
    neededBy: ['openai'],
    fault: 'model',
    fields: ['item.arguments'],
    needsOrder: true,
    causes: { item: TEXT_DIFFERS, event: ['call-fields', 'event-shape:item.arguments'] },
    on: isItemDone,
    event(event, _state, report) {
      const { type, status, arguments: call } = asFields(event['item'])
      if (type !== 'function_call' || status !== 'completed' || isJson(call)) return
      // The model writes text, so a value of another type is the server's mistake.
      if (typeof call === 'string') report('valid JSON', call)
      else report('arguments as a string of JSON', call, undefined, { fault: 'server' })
    },
  },
  {
    id: 'arguments-encoded-once',
    sentence:
      'The arguments of a function call are JSON that is encoded once: a tool gets a text instead of its fields otherwise.',
    on: isItemDone,
    event(event, _state, report) {
      const { type, arguments: given } = asFields(event['item'])
      if (type === 'function_call' && isEncodedTwice(given)) report('arguments that are encoded once', given)
    },
  },
  {
    id: 'call-fields',
    sentence:
      'A function call has an id, a call_id, a name and arguments when it is added, and a status when it is done.',
    fields: ['item.*'],
    causes: { item: ['item-has-id'], event: ['item-is-object'] },
    on: hasItem,
    event(event, { kind }, report) {
      const item = asFields(event['item'])
      if (item['type'] !== 'function_call') return
      for (const field of ['id', 'call_id', 'name', 'arguments']) {
        if (typeof item[field] !== 'string') report(`${field} as a string`, item[field])
      }
      if (kind.isItemDone && typeof item['status'] !== 'string') report('status as a string', item['status'])
    },
  },
  {
    id: 'call-id',
    sentence: 'A call that the client answers has a call_id that differs from the id of its item.',
    fields: ['item.call_id'],
    causes: { event: ['call-fields', 'item-is-object'], item: ['call-fields'] },
    on: hasItem,
    event(event, _state, report) {
      const { type, id, call_id } = asFields(event['item'])
      if (!ANSWERED.test(asString(type))) return
      if (asString(call_id) === '') report('a call_id', call_id)
      else if (call_id === id) report('a call_id that differs from the item id', call_id)
    },
  },
  {
    id: 'call-ids-differ',
    sentence: 'No two calls have the same call_id: results would go to the wrong call.',
    needsOrder: true,
    causes: {
      event: ['item-ids-differ', 'output-index-free', 'call-ids-differ'],
      stream: ['call-ids-differ'],
    },
    on: ({ isItemAdded, isTerminal }) => isItemAdded || isTerminal,
    begin: () => {
      const ids = new Set<unknown>()
      return {
        event(event, { kind }, report) {
          if (kind.isItemAdded) checkCallIds([asFields(event['item'])], ids, report)
          else checkCallIds(itemsInResponse(event), new Set(), report)
        },
      }
    },
  },
  {
    id: 'shell-command-order',
    sentence: 'Commands of a shell call are added in the order of command_index, each before its text.',
    neededBy: ['openai'],
    fields: ['command_index'],
    needsOrder: true,
    causes: { item: [...MISPLACED, 'event-shape:command_index'], event: MISPLACED },
    on: ({ type }) => type.startsWith('response.shell_call_command.'),
    begin: () => {
      const announced = new Map<unknown, number>()
      return {
        event({ type, output_index, command_index }, { item }, report) {
          if (item?.isResumed === true) return
          const count = announced.get(output_index) ?? 0
          if (type.endsWith('.added')) {
            if (command_index !== count) report(`command_index ${count}`, command_index)
            announced.set(output_index, count + 1)
          } else if (!isIndex(command_index, count))
            report('a command that was added', undefined, `command ${preview(command_index)}`)
        },
      }
    },
  },
  {
    id: 'shell-output-command',
    sentence: 'The output of a shell call belongs to one of the commands of that call.',
    neededBy: ['openai'],
    fields: ['command_index'],
    needsOrder: true,
    causes: { item: MISPLACED, stream: ['call-id'] },
    on: ({ type, isItemDone }) => isItemDone || type.startsWith('response.shell_call_output_content.'),
    begin: () => {
      const commands = new Map<unknown, number>()
      return {
        event(event, { kind, item }, report) {
          if (item?.type === 'shell_call' && kind.isItemDone) {
            const { call_id, action } = asFields(event['item'])
            commands.set(call_id, asList(asFields(action)['commands']).length)
          } else if (item?.type === 'shell_call_output' && !kind.isItemDone) {
            // The call may be in an earlier response.
            const count = commands.get(item.added['call_id']) ?? Number.POSITIVE_INFINITY
            const { command_index: index } = event
            if (!isIndex(index, count))
              report('the index of a command of the call', undefined, `command ${preview(index)}`)
          }
        },
      }
    },
  },
  {
    id: 'call-id-prefix',
    sentence: 'A call_id starts with call_.',
    neededBy: ['openai'],
    severity: 'warning',
    fields: ['item.call_id'],
    causes: { item: ['call-id', 'call-fields', 'item-constant'], event: ['item-constant'] },
    on: hasItem,
    event(event, _state, report) {
      const { type, call_id } = asFields(event['item'])
      const isClientCall = type === 'function_call' || type === 'custom_tool_call'
      if (isClientCall && !asString(call_id).startsWith('call_')) report('a call_id that starts with call_', call_id)
    },
  },
  {
    id: 'call-name-constant',
    sentence: 'The name in the `.done` event of the arguments of a function call is that of its item.',
    on: of('response.function_call_arguments.done'),
    event({ name }, { item }, report) {
      const added = item?.added['name']
      if (name !== undefined && added !== undefined && name !== added) report(`name ${preview(added)}`, name)
    },
  },
  {
    id: 'hosted-call-order',
    sentence: 'A search or an image is first in progress, then worked on, then completed, each of these once.',
    neededBy: ['openai'],
    on: ({ type }) => HOSTED_PROGRESS.test(type),
    event({ type }, { item }, report) {
      if (item === undefined || item.isResumed) return
      const [call] = type.split(/\.\w+$/)
      const later = PROGRESS.slice(PROGRESS.indexOf(momentOf(type))).find((moment) =>
        item.eventTypes.has(`${call}.${moment}`),
      )
      if (later !== undefined) report(`${type} once, and before ${later}`, undefined, `${call}.${later} before it`)
    },
  },
  {
    id: 'hosted-call-progress',
    sentence: 'A completed search, code or image has all of these events.',
    neededBy: ['openai'],
    severity: 'warning',
    on: isItemDone,
    event(event, { item }, report) {
      const work = item && lookUp(WORK, item.type)
      if (item === undefined || item.isResumed || work === undefined) return
      if (asFields(event['item'])['status'] !== 'completed') return
      for (const moment of ['in_progress', work, 'completed']) {
        const type = `response.${item.type}.${moment}`
        if (!item.eventTypes.has(type)) report(type, undefined, 'none')
      }
    },
  },
  {
    id: 'code-interpreter-order',
    sentence:
      'A code interpreter call is first in progress, then streams its code, then runs it, then completes, each of these once.',
    neededBy: ['openai'],
    needsOrder: true,
    causes: { item: [...MISPLACED, ...TEXT_DIFFERS] },
    on: of(...CODE_ORDER),
    event(event, { item }, report) {
      if (item?.type !== 'code_interpreter_call') return
      const at = CODE_ORDER.indexOf(event.type)
      const from = event.type.endsWith('.delta') ? at + 1 : at
      const late = CODE_ORDER.slice(from).find((type) => item.eventTypes.has(type))
      if (late !== undefined) report(`${event.type} once, before ${late}`, undefined, `${late} before it`)
    },
  },
  {
    id: 'mcp-call-ends-once',
    sentence: 'An MCP call completes or fails exactly once, after its arguments, and its item has the same status.',
    neededBy: ['openai'],
    fields: ['item.status'],
    needsOrder: true,
    causes: { item: [...MISPLACED, ...TEXT_DIFFERS] },
    on: of('response.output_item.done', ...MCP_ENDS),
    event(event, { kind, item }, report) {
      if (item?.type !== 'mcp_call' || item.isResumed) return
      const ends = MCP_ENDS.filter((type) => item.eventTypes.has(type))
      if (kind.isItemDone) {
        const { status } = asFields(event['item'])
        const reported = ends[0]?.replace('response.mcp_call.', '')
        if (reported === undefined && status === 'completed') report('response.mcp_call.completed', undefined, 'none')
        // In 2025, MCP calls had no status.
        if (reported !== undefined && status !== undefined && status !== reported)
          report(`status "${reported}"`, status)
      } else {
        if (ends.length > 0) report('no second end of the call', undefined, event.type)
        if (item.finalText === undefined) report('response.mcp_call_arguments.done first', undefined, 'none')
      }
    },
  },
])

/** Adds the call_ids of items to `ids`, and reports those that are already in it. */
function checkCallIds(items: readonly Fields[], ids: Set<unknown>, report: ReportViolation): void {
  for (const { type, call_id } of items) {
    if (!/^(function|custom_tool|shell)_call$/.test(asString(type))) continue
    if (asString(call_id) !== '' && ids.has(call_id)) report('a unique call_id', call_id)
    ids.add(call_id)
  }
}
