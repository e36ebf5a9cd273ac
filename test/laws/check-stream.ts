import type { ResponseStreamEvent, TerminalEvent } from '../../src/responses/events.js'
import type { OutputItem } from '../../src/responses/items.js'

/** What is wrong with a finished stream, in words; nothing if it is right. Knows nothing of the translator. */
export function faultsOf(events: readonly ResponseStreamEvent[]): string[] {
  const faults: string[] = []
  const fault = (text: string): void => {
    faults.push(text)
  }
  const first = events[0]
  const last = events.at(-1)
  if (first?.type !== 'response.created') fault(`first is ${first?.type}`)
  if (events[1]?.type !== 'response.in_progress') fault(`second is ${events[1]?.type}`)
  if (!isTerminal(last)) {
    fault(`last is ${last?.type}`)
    return faults
  }
  if (events.filter(isTerminal).length !== 1) fault('more than one terminal event')
  if (events.filter(({ type }) => type === 'response.created').length !== 1) fault('more than one response.created')

  const items: { id: string; added: OutputItem; done?: OutputItem; deltas: string; parts: string[] }[] = []
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
      if (textOf(event.item) !== '') fault(`${at}: text in the announcement`)
      if (event.item.status !== 'in_progress') fault(`${at}: status ${event.item.status}`)
      items.push({ id, added: event.item, deltas: '', parts: [] })
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
    if (event.type === 'response.content_part.added') item.parts.push('added')
    if (event.type === 'response.content_part.done') {
      item.parts.push('done')
      if (event.part.text !== item.deltas) fault(`${at}: part text is not the deltas`)
    }
    if ('delta' in event) item.deltas += event.delta
    for (const key of ['text', 'arguments', 'input', 'code'] as const) {
      if (key in event && (event as never)[key] !== item.deltas) fault(`${at}: ${key} is not the deltas`)
    }
    if (event.type === 'response.output_item.done') {
      item.done = event.item
      if (event.item.id !== item.id || event.item.type !== item.added.type) fault(`${at}: another item`)
      if (textOf(event.item) !== item.deltas) fault(`${at}: item text is not the deltas`)
      const hasParts = event.item.type === 'message' || event.item.type === 'reasoning'
      if (item.parts.join() !== (hasParts ? 'added,done' : '')) fault(`${at}: parts ${item.parts.join()}`)
    }
  }

  const { response } = last
  if (`response.${response.status}` !== last.type) fault(`status ${response.status} in ${last.type}`)
  if (response.output.length !== items.length)
    fault(`${response.output.length} items in output, ${items.length} streamed`)
  for (const [index, item] of items.entries()) {
    const output = response.output[index]
    if (item.done !== undefined) {
      if (JSON.stringify(output) !== JSON.stringify(item.done)) fault(`output ${index} is not the item that was done`)
    } else if (response.status === 'completed') fault(`item ${index} has no output_item.done`)
    else {
      if (output?.status !== 'incomplete' || output.id !== item.id) fault(`output ${index} stands ${output?.status}`)
      if (output !== undefined && textOf(output) !== item.deltas) fault(`output ${index} is not the deltas`)
      const isClients = item.added.type === 'function_call' || item.added.type === 'custom_tool_call'
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

/** What the model wrote of an item. */
export function textOf(item: OutputItem): string {
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
  }
}
