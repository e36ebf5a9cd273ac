/**
 * The engine of servers that speak Chat Completions, with any model. docs/chat-engine.md has the servers.
 *
 * @packageDocumentation
 */

import { encoderOf } from '../../core/tokens/encoder.js'
import { loadTokenTable } from '../../core/tokens/load-token-table.js'
import { check } from '../../shared/errors.js'
import { fieldsOf } from '../../shared/fields.js'
import { jsonOf } from '../../shared/json-of.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { aString, oneOf, wholeNumber } from '../../shared/options/checks.js'
import { shortened } from '../../shared/shortened.js'
import { type Pause, withPauses } from '../../shared/slices.js'
import type { GenerateOptions } from '../contract/engine.js'
import { EngineError } from '../contract/engine-error.js'
import type { ServedEngine } from '../contract/engine-server.js'
import { chatBody } from './chat/chat-body.js'
import { CHAT_PRESETS, type ChatPreset } from './chat/presets.js'
import { createChatReader } from './chat/read-call.js'
import { type ReadPrompt, readPrompt } from './chat/read-prompt.js'
import { ToolNames } from './chat/tool-names.js'
import { type ChatTraits, DEFAULT_TRAITS, TRAITS } from './chat/traits.js'
import type { HttpCall } from './http/http-call.js'
import { HTTP_OPTIONS, type HttpClient, type HttpOptions } from './http/http-client.js'
import { createHttpEngine } from './http/http-engine.js'
import { maxModelLen } from './http/max-model-len.js'
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
   * The limit of prompt and answer tokens together, which a call's limit is cut to. Default: the model's `max_model_len`,
   * where the server reports it.
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

/** How many names of models an error lists. */
const MAX_NAMES = 20

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
  const onlyModel = remembered(modelOf)
  const reportedSize = remembered((client, signal) => sizeOf(client, model, signal))
  /** The field in which the server has sent reasoning. None is sent back before. */
  let reasoningField: string | undefined
  /** The prompt of each call as messages, which its reader needs as well. */
  const prompts = new WeakMap<HttpCall, Promise<ReadPrompt>>()

  function promptOf(call: HttpCall): Promise<ReadPrompt> {
    let read = prompts.get(call)
    if (read === undefined) {
      read = loadTokenTable().then((tokenTable) => withPauses(readPrompt(call.prompt, tokenTable), pause))
      prompts.set(call, read)
    }
    return read
  }

  /** The limit of a call, cut to the context: clients ask for more than fits, which some servers refuse. */
  async function maxTokensOf({ prompt, maxTokens }: HttpCall, client: HttpClient, signal: AbortSignal) {
    if (maxTokens === undefined) return undefined
    const size = contextSize ?? (await reportedSize.get(client, signal)).size
    return size === undefined ? maxTokens : Math.min(maxTokens, Math.max(1, size - prompt.length))
  }

  const engine = createHttpEngine(http, {
    name: NAME,
    healthPaths: ['/v1/models'],
    async health(client, signal) {
      await namesOf(client, signal)
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
      reportedSize.forget()
      onlyModel.forget()
    },
    limits: async () => (contextSize === undefined ? {} : { contextLength: contextSize }),
    async body(call, client, signal) {
      const prompt = await promptOf(call)
      // Half a reasoning is left out of the messages, and thought again.
      const isAnswerBegun = prompt.opening === 'answer' && prompt.begun !== ''
      if (isAnswerBegun && traits.continues === 'none') throw cannotContinue()
      return chatBody(call, {
        model: model ?? (await onlyModel.get(client, signal)),
        prompt,
        names: new ToolNames(call.promptFields?.tools ?? []),
        traits,
        reasoningField,
        max: await maxTokensOf(call, client, signal),
      })
    },
    async reader(call) {
      const { opening } = await promptOf(call)
      return createChatReader(call, {
        opening,
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

/** Returns the names of the server's models. @throws EngineError if it does not list them */
async function namesOf(client: HttpClient, signal: AbortSignal): Promise<readonly string[]> {
  const text = await client.read('/v1/models', signal)
  const { data } = fieldsOf(jsonOf(text))
  if (!Array.isArray(data)) {
    const got = JSON.stringify(shortened(text.trim(), 40))
    throw new EngineError('server_error', `expected a list of models from /v1/models, got ${got}`, {
      isUnavailable: true,
    })
  }
  return data.flatMap((model) => {
    const { id } = fieldsOf(model)
    return typeof id === 'string' ? [id] : []
  })
}

/** Returns the only model of the server. @throws EngineError */
async function modelOf(client: HttpClient, signal: AbortSignal): Promise<string> {
  const names = await namesOf(client, signal)
  const [only, ...others] = names
  if (only !== undefined && others.length === 0) return only
  const got =
    only === undefined
      ? 'none'
      : names
          .slice(0, MAX_NAMES)
          .map((name) => shortened(name))
          .join(', ')
  throw new EngineError('server_error', `expected one model in /v1/models, got ${got}: set model`, {
    isUnavailable: true,
  })
}

/** Wrapped, so that a server that says nothing is asked once. A call does not fail for want of it. */
async function sizeOf(client: HttpClient, model: string | undefined, signal: AbortSignal): Promise<{ size?: number }> {
  try {
    const size = await maxModelLen(NAME, client, model, signal)
    return size === undefined ? {} : { size }
  } catch {
    signal.throwIfAborted()
    return {}
  }
}

function cannotContinue(): EngineError {
  return new EngineError('server_error', `${NAME} cannot continue half an answer: see the option continues`)
}
