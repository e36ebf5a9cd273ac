import { type Fields, isFields } from '../../../../shared/fields.js'
import { asFields } from '../../stream-event.js'
import { citationSources } from '../agreement/agreed-item.js'
import { type SeenCall, seenCall } from '../client.js'
import { concatenated, MutableText } from '../mutable-text.js'
import { TextHash } from '../text-hash.js'
import { Thrown } from '../thrown.js'

/** A part of a message, of reasoning or of its summary. */
export interface PartFields {
  readonly type: unknown
  readonly text: MutableText
  /** The URL or file id of each annotation; undefined if the annotations are not an array. */
  readonly annotations: string[] | undefined
  /** Whether it is a string or number instead of an object, so that nothing can be appended to it. */
  readonly isBare: boolean
}

/** A part. A null stays `null`, and another falsy value becomes undefined. */
export type Part = PartFields | null | undefined

/** An item as the SDK keeps it, but with hashes instead of texts. */
export class Item {
  readonly type: string
  readonly fields: Fields
  /** Undefined if it is not an array. */
  content: Part[] | undefined
  summary: Part[] | undefined
  /** The content, if it is not an array. */
  otherContent: unknown
  /** The number of commands or outputs of a shell call; -1 if they are not an array. */
  outputs: number
  /** The arguments or input of a call, until the item is done. */
  rawArguments: unknown
  /** Whether the SDK identifies it by its call_id. */
  readonly isRouted: boolean
  #call: SeenCall | undefined
  #identity: string | undefined

  private constructor(type: string, fields: Fields) {
    this.type = type
    this.isRouted = ROUTED.has(type)
    this.fields = fields
    this.outputs = -1
  }

  /** @throws Thrown if the SDK throws: the value is not an object, or has no type */
  static of(value: unknown): Item {
    if (!isFields(value)) throw new Thrown('openai-item-fields', 'an output item', value)
    const { type } = value
    if (typeof type !== 'string') throw new Thrown('openai-item-fields', 'an output item with a type', value['type'])
    const item = new Item(type, kept(value))
    const { content, summary, action, output } = value
    item.content = partsOf(content)
    if (item.content === undefined) item.otherContent = content
    item.summary = partsOf(summary)
    const listed = type === 'shell_call' ? asFields(action)['commands'] : output
    if (Array.isArray(listed)) item.outputs = listed.length
    item.rawArguments = type === 'custom_tool_call' ? value['input'] : value['arguments']
    return item
  }

  get id(): unknown {
    return this.fields['id']
  }

  get callId(): unknown {
    return this.fields['call_id']
  }

  /** Whether the SDK can iterate over the content. It can over a string, in which it finds no text. */
  get isReadable(): boolean {
    if (this.type !== 'message' || typeof this.otherContent === 'string') return true
    return this.content !== undefined && !this.content.includes(null)
  }

  /** The key by which the helper recognizes the item across events. */
  get identity(): string {
    this.#identity ??= JSON.stringify([this.type, this.isRouted ? null : (this.id ?? null), this.callId ?? null])
    return this.#identity
  }

  append(delta: unknown): void {
    if (this.#call === undefined) this.rawArguments = concatenated(this.rawArguments) + concatenated(delta)
    // A delta after the item is done makes its JSON invalid, so the parsed value is no longer compared.
    else this.#call = { ...this.#call, arguments: this.#call.arguments.append(concatenated(delta)), value: 0 }
  }

  setArguments(given: unknown): void {
    this.rawArguments = given
    this.#call = undefined
  }

  /** Closes a done item: reduces its arguments to hashes, to free the memory. */
  close(): void {
    if (!CALLS.has(this.type)) this.rawArguments = undefined
    else if (this.#call === undefined) {
      this.#call = this.call
      if (typeof this.rawArguments === 'string') this.rawArguments = undefined
    }
  }

  /** The call that the application reads from the item. */
  get call(): SeenCall | undefined {
    if (!CALLS.has(this.type)) return undefined
    if (this.#call !== undefined) return this.#call
    const { name, namespace } = this.fields
    const called = typeof namespace === 'string' ? `${namespace}.${concatenated(name)}` : concatenated(name)
    return seenCall(called, concatenated(this.rawArguments))
  }

  clone(): Item {
    const copy = new Item(this.type, this.fields)
    copy.content = this.content?.map(cloned)
    copy.summary = this.summary?.map(cloned)
    copy.otherContent = this.otherContent
    copy.outputs = this.outputs
    copy.rawArguments = this.rawArguments
    copy.#call = this.#call
    return copy
  }
}

const ROUTED: ReadonlySet<string> = new Set(['function_call', 'custom_tool_call', 'shell_call', 'shell_call_output'])
const CALLS: ReadonlySet<string> = new Set(['function_call', 'custom_tool_call'])

const KEPT = ['id', 'call_id', 'status', 'name', 'namespace'] as const

/** The fields to keep. Missing ones must stay missing, as checks distinguish that from `undefined`. */
function kept(fields: Fields): Fields {
  const own: Record<string, unknown> = {}
  for (const name of KEPT) if (Object.hasOwn(fields, name)) own[name] = fields[name]
  return own
}

function partsOf(value: unknown): Part[] | undefined {
  return Array.isArray(value) ? value.map(partOf) : undefined
}

export function partOf(value: unknown): Part {
  if (value === null) return null
  if (value === undefined || value === '' || value === 0 || value === false) return undefined
  const { type, text, refusal, annotations } = asFields(value)
  return {
    type,
    text: new MutableText(type === 'refusal' ? refusal : text),
    annotations: Array.isArray(annotations) ? annotations.map(sourceOf) : undefined,
    isBare: typeof value !== 'object',
  }
}

/** The URL or file id of an annotation; empty if it has none. */
export function sourceOf(annotation: unknown): string {
  return citationSources([annotation])[0] ?? ''
}

function cloned(part: Part): Part {
  return part && { ...part, text: part.text.clone(), annotations: part.annotations && [...part.annotations] }
}

/** The text parts of a message, which the SDK joins to `output_text`. */
export function outputTextIn({ type, content }: Item): TextHash {
  const text = new TextHash()
  if (type !== 'message') return text
  for (const part of content ?? []) if (part?.type === 'output_text') text.join(part.text.appended)
  return text
}
