/**
 * The engine of servers that speak Chat Completions, with any model. docs/chat-engine.md has the servers.
 *
 * @packageDocumentation
 */

import { encoderOf } from '../../core/tokens/encoder.js'
import { loadTokenTable } from '../../core/tokens/load-token-table.js'
import { check } from '../../shared/errors.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { aString, oneOf, wholeNumber } from '../../shared/options/checks.js'
import { type Pause, withPauses } from '../../shared/slices.js'
import type { GenerateOptions } from '../contract/engine.js'
import { EngineError } from '../contract/engine-error.js'
import type { ServedEngine } from '../contract/engine-server.js'
import type { PromptFields } from '../contract/prompt-fields.js'
import { chatBody, stopsOf } from './chat/chat-body.js'
import { listedModels, MODELS_PATH, onlyModel } from './chat/listed-models.js'
import { CHAT_PRESETS, type ChatPreset } from './chat/presets.js'
import { createChatReader } from './chat/read-call.js'
import { type ReadPrompt, readPrompt } from './chat/read-prompt.js'
import { type Shortened, shorten } from './chat/shorten.js'
import { ToolNames } from './chat/tool-names.js'
import { type ChatTraits, DEFAULT_TRAITS, TRAITS } from './chat/traits.js'
import type { HttpCall } from './http/http-call.js'
import { HTTP_OPTIONS, type HttpClient, type HttpOptions } from './http/http-client.js'
import { createHttpEngine } from './http/http-engine.js'
import { remembered } from './http/remembered.js'

export type * from '../contract/engine.js'
export { EngineError, type EngineErrorCode } from '../contract/engine-error.js'
export type * from '../contract/engine-server.js'
export type * from '../contract/prompt-fields.js'
export { type ChatChunkSource, type ChatSourceOptions, chatSource } from './chat/chat-source.js'
export { CHAT_PRESETS, type ChatPreset } from './chat/presets.js'
export type { ChatTraits } from './chat/traits.js'

/** Options of {@link createChatEngine}. The `url` may end in `/v1`, as OpenAI's clients have it. */
export interface ChatEngineOptions extends Omit<HttpOptions, 'checkModel'>, ChatTraits {
  /** The name of the model. Default: the only one that the server lists. */
  readonly model?: string
  /** What is known about a server. The other options override it. Default: what holds for most. */
  readonly preset?: ChatPreset
  /**
   * The limit of prompt and answer tokens together, which a call's limit is cut to. Default: what the server says of its
   * model, if it says it.
   */
  readonly contextSize?: number
}

const { checkModel: _, ...HTTP } = HTTP_OPTIONS

const CHAT_OPTIONS: OptionTable<ChatEngineOptions> = {
  ...HTTP,
  ...TRAITS,
  model: aString,
  preset: oneOf(...Object.keys(CHAT_PRESETS)),
  contextSize: wholeNumber(1),
}

/** Lets other work run between two slices of a long prompt. */
const pause: Pause = () =>
  new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve)
    else setTimeout(resolve)
  })

/** The tokens that are left for an answer whose limit nobody gave. */
const ANSWER = 4096
/** A conversation that the server finds too long keeps this part of its characters, at most. */
const SHORTER = 3 / 4
/** How often one call is shortened. */
const MAX_SHORTENINGS = 16

/** What is known of a call, for each of its requests. */
interface ChatCall {
  /** Its prompt, as messages. */
  readonly prompt: Promise<ReadPrompt>
  /** The conversation that was sent last. */
  sent: Shortened | undefined
  /** How often the server found it too long. */
  refused: number
  /** The strings that were sent with it, to end the answer. */
  stop: readonly string[] | undefined
}

/**
 * Connects to a server of Chat Completions, with `POST /v1/chat/completions`: Ollama, LM Studio, a hosted provider, or any
 * other, with any model. The prompt's ids are read back into messages; what the server streams is written as Harmony.
 *
 * A server that gives token ids is better asked by its own engine: this one leaves the rendering of prompts and the reading
 * of calls to the server. Strict schemas are the server's to enforce, half an answer is continued only where `continues`
 * says so, and the grammars of custom tools are not sent. There are no log-probabilities.
 *
 * Written for the documented shapes: https://platform.openai.com/docs/api-reference/chat-streaming, and what servers send
 * beside them.
 *
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { loadTokenTable } from 'harmony-responses'
 * import { respond } from 'harmony-responses/respond'
 * import { createChatEngine } from 'harmony-responses/sources/chat'
 *
 * async function answer(): Promise<void> {
 *   const engine = createChatEngine({ url: 'http://localhost:11434', model: 'qwen3:8b', preset: 'ollama' })
 *   for await (const events of respond(request, { engine, tokenTable: await loadTokenTable() })) send(events)
 * }
 * ```
 */
export function createChatEngine(options: ChatEngineOptions): ServedEngine {
  checkOptions('createChatEngine', options, CHAT_OPTIONS)
  const { traits, model, contextSize, http } = settingsOf(options)
  const only = remembered(onlyModel)
  const reported = remembered(reportedSize)
  /** The field in which the server has sent reasoning. None is sent back before. */
  let reasoningField: string | undefined
  const calls = new WeakMap<HttpCall, ChatCall>()

  function stateOf(call: HttpCall): ChatCall {
    const known = calls.get(call)
    if (known !== undefined) return known
    const prompt = loadTokenTable().then((tokenTable) => withPauses(readPrompt(call.prompt, tokenTable), pause))
    const state = { prompt, sent: undefined, refused: 0, stop: undefined }
    calls.set(call, state)
    return state
  }

  /**
   * Asks the server for the context length of its model. Wrapped, so that a server that says nothing is asked once; one
   * that lists only models that are loaded, until it lists this one. A call does not fail for want of it.
   */
  async function reportedSize(client: HttpClient, signal: AbortSignal) {
    try {
      const models = await listedModels(client, traits.contextPath, signal)
      const found = model === undefined ? models[0] : models.find(({ name }) => name === model)
      return found === undefined && traits.contextPath !== MODELS_PATH ? undefined : { size: found?.contextSize }
    } catch {
      signal.throwIfAborted()
      return {}
    }
  }

  async function sizeFor({ maxTokens, promptFields }: HttpCall, client: HttpClient, signal: AbortSignal) {
    if (maxTokens === undefined && promptFields?.truncates !== true) return undefined
    return contextSize ?? (await reported.get(client, signal))?.size
  }

  /** The conversation of a call: by our count of its tokens, which is an estimate, and by what the server has refused. */
  function fitting(call: HttpCall, { messages }: ReadPrompt, size: number | undefined, state: ChatCall): Shortened {
    const { prompt, maxTokens, promptFields } = call
    let most = Number.POSITIVE_INFINITY
    if (promptFields?.truncates !== true) return shorten(messages, most, 0)
    const room = size === undefined ? most : size - answerRoom(size, maxTokens)
    if (room < prompt.length) most = (shorten(messages, most, 0).characters * room) / prompt.length
    const { sent, refused } = state
    if (sent === undefined || refused === 0) return shorten(messages, most, 0)
    return shorten(messages, Math.min(most, sent.characters * SHORTER), sent.dropped + 1)
  }

  const engine = createHttpEngine(http, {
    name: NAME,
    async health(client, signal) {
      await listedModels(client, MODELS_PATH, signal)
    },
    model,
    generatePath: '/v1/chat/completions',
    capabilities: {
      takes: 'messages',
      continues: traits.continues === 'none' ? 'reasoning' : 'answer',
      hasSeed: !traits.omits.includes('seed'),
      ...(traits.strict && { passesSchemas: true }),
      ...(traits.images && { seesImages: true }),
    },
    onLimitsMaybeStale() {
      reported.forget()
      only.forget()
    },
    again(call, error) {
      const state = stateOf(call)
      if (call.promptFields?.truncates !== true || state.sent?.canDrop !== true || !isTooLong(error)) return false
      state.refused += 1
      return state.refused <= MAX_SHORTENINGS
    },
    limits: async () => (contextSize === undefined ? {} : { contextLength: contextSize }),
    async body(call, client, signal) {
      const state = stateOf(call)
      const prompt = await state.prompt
      // Half a reasoning is left out of the messages, and thought again.
      const isAnswerBegun = prompt.opening === 'answer' && prompt.begun !== ''
      if (isAnswerBegun && traits.continues === 'none') throw cannotContinue()
      const size = await sizeFor(call, client, signal)
      state.sent = fitting(call, prompt, size, state)
      const { promptFields = {} } = call
      state.stop = stopsOf(promptFields, traits, reasoningField !== undefined)
      return chatBody(call, {
        model: model ?? (await only.get(client, signal)),
        prompt: { ...prompt, messages: state.sent.messages },
        names: new ToolNames(promptFields.tools ?? []),
        traits,
        reasoningField,
        stop: state.stop,
        max: limitOf(call, size, state.sent),
      })
    },
    async reader(call) {
      const state = stateOf(call)
      const { opening, begun } = await state.prompt
      return createChatReader(call, {
        opening,
        ...(traits.continues === 'prefix' && { echo: begun }),
        again() {
          const { stop } = state
          state.stop = undefined
          return stop && { ...call, promptFields: withoutStop(call.promptFields) }
        },
        traits,
        encode: encoderOf(await loadTokenTable()),
        onReasoningField(field) {
          reasoningField = field
        },
      })
    },
  })
  return {
    ...engine,
    generate(promptTokens, options: GenerateOptions = {}) {
      check(options.logprobs === undefined, 'logprobs', `none (${NAME} has none)`, options.logprobs)
      return engine.generate(promptTokens, options)
    },
  }
}

const NAME = 'the chat server'

function settingsOf({ model, preset, contextSize, ...options }: ChatEngineOptions) {
  const names = Object.keys(TRAITS) as (keyof ChatTraits)[]
  const given = Object.fromEntries(
    names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  )
  const traits: Required<ChatTraits> = { ...DEFAULT_TRAITS, ...(preset && CHAT_PRESETS[preset]), ...given }
  const rest = Object.entries(options).filter(([name]) => !Object.hasOwn(TRAITS, name))
  const http = Object.fromEntries(rest) as object as HttpOptions
  const url = typeof http.url === 'string' ? http.url.replace(/\/v1\/*(?=\?|$)/, '') : http.url
  return { traits, model, contextSize, http: { ...http, url } }
}

/** The tokens of a context that a conversation leaves for its answer when it is cut. */
function answerRoom(size: number, maxTokens: number = ANSWER): number {
  return Math.min(maxTokens, Math.floor(size / 4))
}

/** The limit of a call. Clients ask for more than fits, which some servers refuse. */
function limitOf(
  { prompt, maxTokens }: HttpCall,
  size: number | undefined,
  { dropped }: Shortened,
): number | undefined {
  if (maxTokens === undefined || size === undefined) return maxTokens
  const room = dropped === 0 ? size - prompt.length : answerRoom(size, maxTokens)
  return Math.min(maxTokens, Math.max(1, room))
}

function isTooLong(error: unknown): boolean {
  return error instanceof EngineError && error.code === 'context_length_exceeded'
}

function withoutStop({ stop: _, ...promptFields }: PromptFields = {}): PromptFields {
  return promptFields
}

function cannotContinue(): EngineError {
  return new EngineError('server_error', `${NAME} cannot continue half an answer: see the option continues`)
}
