import type { ResponseStreamEvent, TerminalEvent } from '../../src/core/responses/events.js'
import type { OutputItem } from '../../src/core/responses/items.js'

/** The faults of a finished stream, in words. Independent of the translator. */
export function faultsOf(events: readonly ResponseStreamEvent[]): string[] {
  const faults: string[] = []
  const fault = (text: string): void => {
    faults.push(text)
  }
  const first = events[0]
  const last = events.at(-1)
  if (first?.type !== 'response.created') fault(`first is ${first?.type}`)
  const isQueued = first?.type === 'response.created' && first.response.status === 'queued'
  const beginning = isQueued ? ['response.queued', 'response.in_progress'] : ['response.in_progress']
  for (const [at, type] of beginning.entries())
    if (events[at + 1]?.type !== type) fault(`event ${at + 1} is ${events[at + 1]?.type}, not ${type}`)
  if (!isTerminal(last)) {
    fault(`last is ${last?.type}`)
    return faults
  }
  if (events.filter(isTerminal).length !== 1) fault('more than one terminal event')
  if (events.filter(({ type }) => type === 'response.created').length !== 1) fault('more than one response.created')

  const items: {
    id: string
    added: OutputItem
    done?: OutputItem
    deltas: string
    summary: string
    parts: string[]
  }[] = []
  const ids = new Set<string>()
  let sequence = 0
  for (const event of events) {
    const at = `event ${event.sequence_number} ${event.type}`
    if (event.sequence_number !== sequence++) fault(`${at}: expected sequence_number ${sequence - 1}`)
    if ('delta' in event && event.delta === '') fault(`${at}: empty delta`)
    if (event.type === 'response.output_item.added') {
      if (event.output_index !== items.length) fault(`${at}: expected output_index ${items.length}`)
      const id = event.item.id
      if (id === '' || ids.has(id)) fault(`${at}: id ${id} is empty or taken`)
      ids.add(id)
      if (itemText(event.item) !== '') fault(`${at}: text in the announcement`)
      if (statusOf(event.item) !== (event.item.type === 'shell_call_output' ? 'completed' : 'in_progress'))
        fault(`${at}: status ${statusOf(event.item)}`)
      items.push({ id, added: event.item, deltas: '', summary: '', parts: [] })
      continue
    }
    if (!('output_index' in event)) continue
    const item = items[event.output_index]
    if (item === undefined || item.done !== undefined) {
      fault(`${at}: outside its item`)
      continue
    }
    if ('item_id' in event && event.item_id !== item.id) fault(`${at}: item_id ${event.item_id}`)
    if ('content_index' in event && event.content_index !== 0) fault(`${at}: content_index ${event.content_index}`)
    if ('summary_index' in event) {
      if (event.summary_index !== 0) fault(`${at}: summary_index ${event.summary_index}`)
      if ('delta' in event) item.summary += event.delta
      else if (!event.type.endsWith('.added')) {
        const text = 'text' in event ? event.text : event.part.text
        if (text !== item.summary) fault(`${at}: text is not the summary's deltas`)
      }
      continue
    }
    if (event.type === 'response.output_text.annotation.added' && event.annotation.type === 'url_citation') {
      const { start_index, end_index, url } = event.annotation
      const about = [...item.deltas].slice(start_index, end_index).join('')
      if (!about.startsWith('([') || !about.endsWith(')')) fault(`${at}: about ${about}, not a link to ${url}`)
      if (end_index !== [...item.deltas].length) fault(`${at}: not right after the text that it annotates`)
    }
    if (event.type === 'response.content_part.added') item.parts.push('added')
    if (event.type === 'response.content_part.done') {
      item.parts.push('done')
      if (event.part.text !== item.deltas) fault(`${at}: part text is not the deltas`)
    }
    item.deltas += deltaOf(event)
    for (const key of ['text', 'arguments', 'input', 'code', 'command'] as const) {
      if (key in event && !event.type.endsWith('.added') && (event as never)[key] !== item.deltas)
        fault(`${at}: ${key} is not the deltas`)
    }
    if (event.type === 'response.output_item.done') {
      item.done = event.item
      // Clients run a call that is done, whatever its status.
      if (/^(function|custom_tool)_call$/.test(event.item.type) && statusOf(event.item) === 'incomplete')
        fault(`${at}: a call that was cut off is done`)
      if (event.item.id !== item.id || event.item.type !== item.added.type) fault(`${at}: another item`)
      // Of a command that cannot be read there is no output event.
      const isUnread = event.item.type === 'shell_call_output' && item.deltas === ''
      if (itemText(event.item) !== item.deltas && !isUnread) fault(`${at}: item text is not the deltas`)
      const hasParts = 'content' in event.item && event.item.content.length > 0
      if (summaryOf(event.item) !== item.summary) fault(`${at}: summary is not its deltas`)
      if (item.parts.join() !== (hasParts ? 'added,done' : '')) fault(`${at}: parts ${item.parts.join()}`)
    }
  }

  const { response } = last
  const ending = response.status === 'cancelled' ? 'incomplete' : response.status
  if (`response.${ending}` !== last.type) fault(`status ${response.status} in ${last.type}`)
  if (response.output.length !== items.length)
    fault(`${response.output.length} items in output, ${items.length} streamed`)
  for (const [index, item] of items.entries()) {
    const output = response.output[index]
    if (item.done !== undefined) {
      if (JSON.stringify(output) !== JSON.stringify(item.done)) fault(`output ${index} is not the item that was done`)
    } else if (response.status === 'completed') fault(`item ${index} has no output_item.done`)
    else {
      if (output === undefined || statusOf(output) !== 'incomplete' || output.id !== item.id)
        fault(`output ${index} stands ${output && statusOf(output)}`)
      if (output !== undefined && itemText(output) !== item.deltas) fault(`output ${index} is not the deltas`)
      const isClients = /^(function|custom_tool|shell|apply_patch)_call$/.test(item.added.type)
      if (response.status === 'incomplete' && !isClients) fault(`item ${index} has no output_item.done`)
    }
  }
  return faults
}

function isTerminal(event: ResponseStreamEvent | undefined): event is TerminalEvent {
  return (
    event?.type === 'response.completed' || event?.type === 'response.incomplete' || event?.type === 'response.failed'
  )
}

/** An item's status. Kinds without one pass every check of it. */
export function statusOf(item: OutputItem): string {
  return 'status' in item ? item.status : 'in_progress'
}

/** The text that an event adds to its item; a summary is a separate text. */
export function deltaOf(event: ResponseStreamEvent): string {
  if (!('delta' in event) || event.type === 'response.reasoning_summary_text.delta') return ''
  return typeof event.delta === 'string' ? event.delta : (event.delta.stdout ?? '') + (event.delta.stderr ?? '')
}

/** An item's text by its deltas: the model's text, or a tool's output. */
export function itemText(item: OutputItem): string {
  switch (item.type) {
    case 'message':
    case 'reasoning':
      return item.content.map(({ text }) => text).join('')
    case 'function_call':
    case 'mcp_call':
      return item.arguments
    case 'custom_tool_call':
      return item.input
    case 'code_interpreter_call':
      return item.code
    case 'shell_call':
      return item.action.commands.join('')
    case 'shell_call_output':
      return item.output.map(({ stdout, stderr }) => stdout + stderr).join('')
    // A kind whose deltas are missing here breaks the law that they add up to its text.
    default:
      return ''
  }
}

function summaryOf(item: OutputItem): string {
  return item.type === 'reasoning' ? item.summary.map(({ text }) => text).join('') : ''
}
