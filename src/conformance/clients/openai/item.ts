import { type Fields, fieldsOf, isFields } from '../../stream-event.js'
import { citationsOf } from '../agreement.js'
import { type SeenCall, seenCall } from '../client.js'
import { appended, GrownText } from '../grown-text.js'
import { TextHash } from '../text-hash.js'
import { Thrown } from '../thrown.js'

/** A part of a message, of reasoning or of its summary. */
export interface PartFields {
  readonly type: unknown
  readonly text: GrownText
  /** The source of each annotation; undefined where the annotations are no list. */
  readonly annotations: string[] | undefined
  /** A string or a number in its place: nothing can be appended to it. */
  readonly isBare: boolean
}

/** A part; what is in the place of one and empty is `null` where it is null, and otherwise undefined. */
export type Part = PartFields | null | undefined

/** An item as the SDK has it, without the texts: digests of what its user sees, and what its checks look at. */
export class Item {
  readonly type: string
  readonly fields: Fields
  /** Undefined where it is no list. */
  content: Part[] | undefined
  summary: Part[] | undefined
  /** The content where it is no list. */
  otherContent: unknown
  /** How many commands of a shell call there are, or outputs of them; -1 where they are no list. */
  outputs: number
  /** The arguments or the input of a call: as it came while it may grow. */
  given: unknown
  #call: SeenCall | undefined

  private constructor(type: string, fields: Fields) {
    const { id, call_id, status, name, namespace, content, summary, action, output } = fields
    this.type = type
    this.fields = picked({ id, call_id, status, name, namespace }, fields)
    this.content = partsOf(content)
    this.otherContent = this.content === undefined ? content : undefined
    this.summary = partsOf(summary)
    const listed = type === 'shell_call' ? fieldsOf(action)['commands'] : output
    this.outputs = Array.isArray(listed) ? listed.length : -1
    this.given = type === 'custom_tool_call' ? fields['input'] : fields['arguments']
  }

  /** @throws Thrown where the SDK throws at it: it has no type. */
  static of(value: unknown): Item {
    if (!isFields(value)) throw new Thrown('openai-item-fields', 'an output item', value)
    const { type } = value
    if (typeof type !== 'string') throw new Thrown('openai-item-fields', 'an output item with a type', value['type'])
    return new Item(type, value)
  }

  get id(): unknown {
    return this.fields['id']
  }

  get callId(): unknown {
    return this.fields['call_id']
  }

  /** Whether the SDK can go through the content: that of a string, too, where it finds no text. */
  get isReadable(): boolean {
    if (this.type !== 'message' || typeof this.otherContent === 'string') return true
    return this.content !== undefined && !this.content.includes(null)
  }

  /** Whether it is known by its call_id. */
  get isRouted(): boolean {
    return ROUTED.test(this.type)
  }

  /** What the helper knows it by, between the events. */
  get identity(): string {
    return JSON.stringify([this.type, this.isRouted ? null : (this.id ?? null), this.callId ?? null])
  }

  append(delta: unknown): void {
    if (this.#call === undefined) this.given = appended(this.given) + appended(delta)
    // A delta after the item is done: what it makes of the JSON before it is nothing to compare.
    else this.#call = { ...this.#call, arguments: this.#call.arguments.append(appended(delta)), value: 0 }
  }

  give(given: unknown): void {
    this.given = given
    this.#call = undefined
  }

  /** It is done: what it was given grows no more, and is kept no longer. */
  close(): void {
    if (!CALLS.test(this.type)) this.given = undefined
    else if (this.#call === undefined) {
      this.#call = this.call
      if (typeof this.given === 'string') this.given = undefined
    }
  }

  /** The call, as the application reads it of the item. */
  get call(): SeenCall | undefined {
    if (!CALLS.test(this.type)) return undefined
    const { name, namespace } = this.fields
    const called = typeof namespace === 'string' ? `${namespace}.${appended(name)}` : appended(name)
    return this.#call ?? seenCall(called, appended(this.given))
  }

  clone(): Item {
    const copy = new Item(this.type, this.fields)
    copy.content = this.content?.map(cloned)
    copy.summary = this.summary?.map(cloned)
    copy.otherContent = this.otherContent
    copy.outputs = this.outputs
    copy.given = this.given
    copy.#call = this.#call
    return copy
  }
}

const ROUTED = /^(function_call|custom_tool_call|shell_call|shell_call_output)$/
const CALLS = /^(function_call|custom_tool_call)$/

/** The fields that are there, as far as they are: what is missing must not become `undefined`. */
function picked(wanted: Fields, fields: Fields): Fields {
  return Object.fromEntries(Object.entries(wanted).filter(([name]) => Object.hasOwn(fields, name)))
}

function partsOf(value: unknown): Part[] | undefined {
  return Array.isArray(value) ? value.map(partOf) : undefined
}

export function partOf(value: unknown): Part {
  if (value === null) return null
  if (value === undefined || value === '' || value === 0 || value === false) return undefined
  const { type, text, refusal, annotations } = fieldsOf(value)
  return {
    type,
    text: new GrownText(type === 'refusal' ? refusal : text),
    annotations: Array.isArray(annotations) ? annotations.map(sourceOf) : undefined,
    isBare: typeof value !== 'object',
  }
}

/** The URL, or the id of the file, of an annotation; an empty one where it has none. */
export function sourceOf(annotation: unknown): string {
  return citationsOf([annotation])[0] ?? ''
}

function cloned(part: Part): Part {
  return part && { ...part, text: part.text.clone(), annotations: part.annotations && [...part.annotations] }
}

/** What the SDK joins to `output_text`: the text parts of a message. */
export function outputTextOf({ type, content }: Item): TextHash {
  const text = new TextHash()
  if (type !== 'message') return text
  for (const part of content ?? []) if (part?.type === 'output_text') text.join(part.text.appended)
  return text
}
