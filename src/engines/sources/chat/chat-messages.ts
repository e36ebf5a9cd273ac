import type { HarmonyMessage } from '../../../core/harmony/events.js'
import { isFields } from '../../../shared/fields.js'
import { jsonOf } from '../../../shared/json-of.js'
import type { PromptFields } from '../../contract/prompt-fields.js'
import { argumentsOf } from './free-text.js'
import type { ToolNames } from './tool-names.js'

/** A message of Chat Completions. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  content: string | ChatPart[]
  tool_calls?: ChatCall[]
  readonly tool_call_id?: string
  /** The reasoning, in the server's own field. */
  [field: string]: unknown
}

export type ChatPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string; readonly detail?: string } }

export interface ChatCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

export interface ChatMessagesOptions {
  readonly promptFields: PromptFields
  readonly names: ToolNames
  /** The role of instructions in the middle of the conversation. */
  readonly laterInstructions: 'user' | 'system'
  /** The field in which reasoning is sent back; undefined: it is left out. */
  readonly reasoningField: string | undefined
}

/** Returns the messages of a conversation as Chat Completions has them. */
export function chatMessages(messages: readonly HarmonyMessage[], options: ChatMessagesOptions): ChatMessage[] {
  const writer = new MessageWriter(options)
  for (const message of messages) writer.write(message)
  return writer.end()
}

/** A call whose result is still to come. */
interface WaitingCall {
  readonly id: string
  readonly recipient: string
}

class MessageWriter {
  readonly #options: ChatMessagesOptions
  readonly #written: ChatMessage[] = []
  readonly #instructions: string[] = []
  #waiting: WaitingCall[] = []
  #callCount = 0
  /** The images that tools gave, for the user's message after the results: a tool's message has only text. */
  #shown: ChatPart[] = []

  constructor(options: ChatMessagesOptions) {
    this.#options = options
    const { identity } = options.promptFields
    if (identity !== undefined && identity !== '') this.#instructions.push(identity)
  }

  write(message: HarmonyMessage): void {
    const { role, content, recipient, channel } = message
    switch (role) {
      case 'system':
        return
      case 'developer':
        this.#instruct(instructionsIn(content, this.#options.promptFields.lessons ?? []))
        return
      case 'user':
        this.#say('user', content)
        return
      case 'tool':
        this.#answer(message)
        return
      case 'assistant':
        if (recipient !== undefined) this.#call(recipient, message)
        else if (channel === 'analysis') this.#think(content)
        else this.#speak(content)
    }
  }

  end(): ChatMessage[] {
    this.#settle()
    if (this.#instructions.length === 0) return this.#written
    return [{ role: 'system', content: this.#instructions.join('\n\n') }, ...this.#written]
  }

  #instruct(text: string): void {
    if (text === '') return
    if (this.#written.length === 0) this.#instructions.push(text)
    else if (this.#options.laterInstructions === 'user') this.#say('user', text)
    else {
      this.#settle()
      this.#written.push({ role: 'system', content: text })
    }
  }

  /** Two messages of the user in a row are one: some templates refuse two. */
  #say(role: 'user', text: string): void {
    this.#settle()
    const parts = this.#partsOf(text)
    const last = this.#written.at(-1)
    if (last?.role === role) last.content = joined(last.content, parts)
    else this.#written.push({ role, content: parts })
  }

  #speak(text: string): void {
    const message = this.#own()
    const before = message.content as string
    message.content = before === '' || text === '' ? before + text : `${before}\n\n${text}`
  }

  #think(text: string): void {
    const { reasoningField } = this.#options
    if (reasoningField === undefined) return
    const message = this.#own()
    const before = message[reasoningField]
    message[reasoningField] = before === undefined ? text : `${before}\n\n${text}`
  }

  #call(recipient: string, { content, contentType }: HarmonyMessage): void {
    const { names } = this.#options
    const body = names.bodyOf(recipient)
    const isJson = contentType?.includes('json') === true || body === 'json'
    this.#callCount += 1
    // One provider refuses ids of any other form.
    const id = `call${String(this.#callCount).padStart(5, '0')}`
    const args = isJson ? asObject(content) : argumentsOf(body, content)
    const message = this.#own()
    message.tool_calls ??= []
    message.tool_calls.push({ id, type: 'function', function: { name: names.nameOf(recipient), arguments: args } })
    this.#waiting.push({ id, recipient })
  }

  #answer({ name, content }: HarmonyMessage): void {
    const nth = this.#waiting.findIndex(({ recipient }) => recipient === name)
    const call = this.#waiting[nth === -1 ? 0 : nth]
    if (call === undefined) {
      this.#say('user', content)
      return
    }
    this.#waiting = this.#waiting.filter((other) => other !== call)
    const images = this.#partsOf(content)
    if (Array.isArray(images)) for (const part of images) if (part.type === 'image_url') this.#shown.push(part)
    this.#written.push({ role: 'tool', tool_call_id: call.id, content })
  }

  /** Returns the model's message that is being written. */
  #own(): ChatMessage {
    const last = this.#written.at(-1)
    if (last?.role === 'assistant') return last
    this.#settle()
    const message: ChatMessage = { role: 'assistant', content: '' }
    this.#written.push(message)
    return message
  }

  /** Ends the results of calls: templates refuse a call without one. */
  #settle(): void {
    for (const { id } of this.#waiting) this.#written.push({ role: 'tool', tool_call_id: id, content: '' })
    this.#waiting = []
    const shown = this.#shown
    this.#shown = []
    if (shown.length > 0) this.#written.push({ role: 'user', content: shown })
  }

  #partsOf(text: string): string | ChatPart[] {
    const { images = {} } = this.#options.promptFields
    const places = [...text.matchAll(MARK)].filter(([mark]) => Object.hasOwn(images, mark))
    if (places.length === 0) return text
    const parts: ChatPart[] = []
    let from = 0
    for (const { 0: mark, index: at } of places) {
      const before = text.slice(from, at).trim()
      if (before !== '') parts.push({ type: 'text', text: before })
      parts.push({ type: 'image_url', image_url: images[mark] as ChatImage })
      from = at + mark.length
    }
    const rest = text.slice(from).trim()
    if (rest !== '') parts.push({ type: 'text', text: rest })
    return parts
  }
}

/** The text that stands for an image, as `imageMark` of the endpoint writes it. */
const MARK = /\[image [0-9a-z]+\]/g

type ChatImage = Extract<ChatPart, { type: 'image_url' }>['image_url']

function joined(before: string | ChatPart[], after: string | ChatPart[]): string | ChatPart[] {
  if (typeof before === 'string' && typeof after === 'string') return `${before}\n\n${after}`
  return [...asParts(before), ...asParts(after)]
}

function asParts(content: string | ChatPart[]): ChatPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

/** Templates parse the arguments of earlier calls: what is no object is wrapped in one. */
function asObject(text: string): string {
  return isFields(jsonOf(text)) ? text : JSON.stringify({ arguments: text })
}

const HEADING = '# Instructions\n\n'

/** Returns the client's instructions in a developer message: without its heading, and without what the host teaches. */
function instructionsIn(content: string, lessons: readonly string[]): string {
  let text = content
  for (const lesson of lessons) {
    if (text === lesson) return ''
    if (text.endsWith(`\n\n${lesson}`)) text = text.slice(0, -lesson.length - 2)
  }
  return text.startsWith(HEADING) ? text.slice(HEADING.length) : text
}
