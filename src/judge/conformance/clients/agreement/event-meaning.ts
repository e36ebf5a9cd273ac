import { byType } from '../../by-type.js'
import { itemTypeOfEvent } from '../../event-kind.js'
import { asFields, type StreamEvent } from '../../stream-event.js'

/** The meaning of an event's type for the response as a whole. */
export interface EventMeaning {
  /**
   * The effect of the event: it adds or finishes an item, is an error, begins the response or ends it, or is about
   * something within an item (or nothing known).
   */
  readonly does: 'add' | 'finish' | 'error' | 'begin' | 'end' | 'within'
  /** The ending that it states. */
  readonly ending: 'completed' | 'incomplete' | 'failed' | undefined
  /** The type of the item, if the type of the event implies it. */
  readonly owner: string | undefined
  /** Of an event with text: the type of the part that it belongs to; empty if the text is of no known part. */
  readonly text: string | undefined
  /** The text is that of a refusal, of raw reasoning, or of a summary; `text` if it is plain text. */
  readonly voice: 'text' | 'refusals' | 'raw' | 'summary'
  /** Of an event with a part: where that places the part. */
  readonly part: 'added' | 'part' | undefined
  readonly isAnnotation: boolean
  /** Whether it has arguments or input of a call. */
  readonly isOfCall: boolean
  readonly isDelta: boolean
  readonly isOfSummary: boolean
  /** Whether it is about a part of any content: the part itself names its kind. */
  readonly isOfContent: boolean
  /** Whether it is an event of this API: others at the end of a stream do not matter. */
  readonly isOfResponse: boolean
}

/** The type of the item that an event is about, if the event implies it. */
export function ownerIn({ part }: StreamEvent, { isOfContent, owner }: EventMeaning): string | undefined {
  if (!isOfContent) return owner
  return asFields(part)['type'] === 'reasoning_text' ? 'reasoning' : undefined
}

/** Returns the meaning of a type. */
export const meaningOf: (type: string) => EventMeaning = byType(read)

const ENDING = /^response\.(completed|incomplete|failed)$/
const TEXT = /^response\.(output_text|refusal|reasoning_text|reasoning|reasoning_summary_text)\.(?:delta|done)$/
const PART = /^response\.(?:content|reasoning_summary|reasoning)_part\.(added|done)$/
const CALL = /^response\.(?:function_call_arguments|custom_tool_call_input)\.(?:delta|done)$/

/** The part type of each text event. */
const PART_KINDS: Readonly<Record<string, string>> = {
  output_text: 'output_text',
  refusal: 'refusal',
  reasoning_text: 'reasoning_text',
  reasoning_summary_text: 'summary_text',
}

const VOICES: Readonly<Record<string, EventMeaning['voice']>> = {
  refusal: 'refusals',
  reasoning_text: 'raw',
  reasoning: 'raw',
  reasoning_summary_text: 'summary',
}

function read(type: string): EventMeaning {
  const [text, part] = [TEXT.exec(type)?.[1], PART.exec(type)?.[1]]
  return {
    does: doneBy(type),
    // The cast: the pattern has these words alone.
    ending: ENDING.exec(type)?.[1] as EventMeaning['ending'],
    owner: itemTypeOfEvent(type),
    text: text === undefined ? undefined : (PART_KINDS[text] ?? ''),
    voice: VOICES[text ?? ''] ?? 'text',
    part: part === 'done' ? 'part' : part === 'added' ? 'added' : undefined,
    isAnnotation: type === 'response.output_text.annotation.added',
    isOfCall: CALL.test(type),
    isDelta: type.endsWith('.delta'),
    isOfSummary: type.startsWith('response.reasoning_summary_'),
    isOfContent: type.startsWith('response.content_part.'),
    isOfResponse: type.startsWith('response.'),
  }
}

function doneBy(type: string): EventMeaning['does'] {
  if (type === 'response.output_item.added') return 'add'
  if (type === 'response.output_item.done') return 'finish'
  if (type === 'error') return 'error'
  if (/^response\.(created|queued|in_progress)$/.test(type)) return 'begin'
  return ENDING.test(type) ? 'end' : 'within'
}
