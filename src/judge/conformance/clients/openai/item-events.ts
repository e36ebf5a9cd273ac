import { lookUp, type StreamEvent } from '../../stream-event.js'
import { concatenated } from '../mutable-text.js'
import { Thrown } from '../thrown.js'
import { type Item, type Part, type PartFields, partOf, sourceOf } from './item.js'

/** Applies an event to its item, as the SDK does. Returns whether that changes `output_text`. */
export function applyToItem(event: StreamEvent, item: Item, output: readonly Item[]): boolean {
  return lookUp(APPLIED, event.type)?.(event, item, output) === true
}

/** What an event does to its item, by its type; true if it changes `output_text`. */
const APPLIED: Readonly<Record<string, (event: StreamEvent, item: Item, output: readonly Item[]) => unknown>> = {
  'response.content_part.added': addPart,
  'response.content_part.done': replacePart,
  'response.output_text.delta': setText,
  'response.output_text.done': setText,
  'response.output_text.annotation.added': annotate,
  'response.refusal.delta': (event, item) => partFor(event, item, 'refusal').text.append(event['delta']),
  'response.refusal.done': (event, item) => partFor(event, item, 'refusal').text.set(event['refusal']),
  'response.reasoning_text.delta': (event, item) => partFor(event, item, 'reasoning_text').text.append(event['delta']),
  'response.reasoning_text.done': (event, item) => partFor(event, item, 'reasoning_text').text.set(event['text']),
  'response.reasoning_summary_part.added': addSummary,
  'response.reasoning_summary_part.done': replaceSummary,
  'response.reasoning_summary_text.delta': (event, item) => summaryPart(event, item).text.append(event['delta']),
  'response.reasoning_summary_text.done': (event, item) => summaryPart(event, item).text.set(event['text']),
  'response.function_call_arguments.delta': ({ delta }, item) => item.append(delta),
  'response.function_call_arguments.done': ({ arguments: given }, item) => item.setArguments(given),
  'response.custom_tool_call_input.delta': ({ delta }, item) => item.append(delta),
  'response.custom_tool_call_input.done': ({ input }, item) => item.setArguments(input),
  'response.shell_call_command.added': takeCommand,
  'response.shell_call_command.delta': takeCommand,
  'response.shell_call_command.done': takeCommand,
  'response.shell_call_output_content.delta': takeShellOutput,
  'response.shell_call_output_content.done': takeShellOutput,
}

function setText(event: StreamEvent, item: Item): boolean {
  const { text } = partFor(event, item, 'output_text')
  requireLength(text.hasLength, 'the text of the part', text.value)
  if (event.type === 'response.output_text.delta') text.append(event['delta'])
  else {
    requireLength(event['text'] !== undefined && event['text'] !== null, 'text', event['text'])
    text.set(event['text'])
  }
  return true
}

function annotate(event: StreamEvent, item: Item): void {
  const { annotations } = partFor(event, item, 'output_text')
  const { annotation_index: index, annotation } = event
  const isNext =
    Number.isSafeInteger(index) && (index as number) >= 0 && (index as number) <= (annotations?.length ?? -1)
  if (annotations === undefined || !isNext) {
    const expected =
      annotations === undefined ? 'a part with annotations' : `an annotation_index up to ${annotations.length}`
    throw new Thrown('openai-part-index', expected, index)
  }
  annotations[index as number] = sourceOf(annotation)
}

function addSummary({ summary_index: index, part }: StreamEvent, item: Item): void {
  item.summary = nextOf(item.summary, index, 'summary_index')
  item.summary.push(partOf(part))
}

function replaceSummary({ summary_index: index, part }: StreamEvent, item: Item): void {
  presentAt(item.summary, index, 'summary_index')
  ;(item.summary as Part[])[index as number] = partOf(part)
}

function takeCommand({ type, command_index: index }: StreamEvent, item: Item): void {
  requireIndex(item.outputs, index, 'command_index', type === 'response.shell_call_command.added')
  if (index === item.outputs) item.outputs++
}

function addPart(event: StreamEvent, item: Item): boolean {
  const { content_index: index } = event
  const part = partOf(event['part'])
  // Reasoning is added without content.
  if (item.type === 'reasoning' && item.content === undefined && (item.otherContent ?? null) === null) item.content = []
  item.content = nextOf(item.content, index, 'content_index')
  if (part?.type === 'output_text') requireLength(part.text.hasLength, 'part.text', part.text.value)
  item.content.push(part)
  return part?.type === 'output_text'
}

function replacePart(event: StreamEvent, item: Item): boolean {
  const previous = presentAt(item.content, event['content_index'], 'content_index')
  const part = partOf(event['part'])
  if (item.type === 'message') {
    if (previous.type === 'output_text')
      requireLength(previous.text.hasLength, 'the text of the part', previous.text.value)
    if (part?.type === 'output_text') requireLength(part.text.hasLength, 'part.text', part.text.value)
  }
  ;(item.content as Part[])[event['content_index'] as number] = part
  return previous.type === 'output_text' || part?.type === 'output_text'
}

function partFor(event: StreamEvent, item: Item, type: string): PartFields {
  const part = presentAt(item.content, event['content_index'], 'content_index')
  if (part.type !== type) throw new Thrown('openai-part', `a part of type ${type}`, part.type)
  return part
}

function summaryPart(event: StreamEvent, item: Item): PartFields {
  const part = presentAt(item.summary, event['summary_index'], 'summary_index')
  if (part.isBare) throw new Thrown('openai-part', 'a part with text', undefined, 'a part that is not an object')
  return part
}

/** Requires that a part with this index can be appended to the list. */
function nextOf(parts: Part[] | undefined, index: unknown, name: string): Part[] {
  if (parts === undefined) throw new Thrown('openai-content', 'an item whose parts are an array', undefined, 'none')
  if (index !== parts.length) throw new Thrown('openai-part-index', `${name} ${parts.length}`, index)
  return parts
}

function presentAt(parts: readonly Part[] | undefined, index: unknown, name: string): PartFields {
  requireIndex(parts?.length ?? -1, index, name, false)
  const part = parts?.[index as number]
  if (!part) throw new Thrown('openai-part', `a part at ${name} ${concatenated(index)}`, undefined, 'an empty value')
  return part
}

/** Requires an index below `length`, or equal to it if `mayAppend`. A missing list has the length -1. */
function requireIndex(length: number, index: unknown, name: string, mayAppend: boolean): void {
  const isIn = Number.isSafeInteger(index) && (index as number) >= 0
  if (isIn && ((index as number) < length || (mayAppend && index === length))) return
  throw new Thrown('openai-part-index', `the ${name} of an added part`, index)
}

function requireLength(has: boolean, expected: string, got: unknown): void {
  if (!has) throw new Thrown('openai-part-text', expected, got)
}

function takeShellOutput(event: StreamEvent, item: Item, output: readonly Item[]): void {
  const { command_index: index, delta, output: contents } = event
  if (event.type === 'response.shell_call_output_content.done' && !(Array.isArray(contents) && contents[0])) {
    throw new Thrown('openai-part', 'output with an element', contents)
  }
  const call = output.find(({ type, callId }) => type === 'shell_call' && callId === item.callId)
  requireIndex(call?.outputs ?? item.outputs, index, 'command_index', call === undefined)
  if (item.outputs < 0) throw new Thrown('openai-part', 'an item whose output is an array', undefined, 'none')
  item.outputs = Math.max(item.outputs, (index as number) + 1)
  if (event.type === 'response.shell_call_output_content.delta' && (delta === null || delta === undefined)) {
    throw new Thrown('openai-part', 'a delta with stdout and stderr', delta)
  }
}
