import { type Fields, fieldsOf } from '../../../shared/fields.js'
import { jsonOf } from '../../../shared/json-of.js'
import { shortened } from '../../../shared/shortened.js'
import { EngineError } from '../../contract/engine-error.js'
import type { HttpClient } from '../http/http-client.js'

/** What a server says of a model. */
export interface ListedModel {
  readonly name: string
  /** The limit of prompt and answer tokens together. */
  readonly contextSize?: number
}

/** The list of every server. */
export const MODELS_PATH = '/v1/models'
/** How many names of models an error lists. */
const MAX_NAMES = 20

/**
 * Returns the models of a list: an array, or the `data` or `models` of an object.
 *
 * @throws EngineError if the server has no such list
 */
export async function listedModels(client: HttpClient, path: string, signal: AbortSignal): Promise<ListedModel[]> {
  const text = await client.read(path, signal)
  const answer = jsonOf(text)
  const { data, models } = fieldsOf(answer)
  const list = [answer, data, models].find(Array.isArray)
  if (list === undefined) {
    const got = JSON.stringify(shortened(text.trim(), 40))
    throw unavailable(`expected a list of models from ${path}, got ${got}`)
  }
  return list.flatMap((model: unknown) => {
    const { id, model: tag, name, ...fields } = fieldsOf(model)
    const called = [id, tag, name].find((word) => typeof word === 'string')
    return called === undefined ? [] : [{ name: called, ...sizeIn(fields) }]
  })
}

/**
 * The fields of a context length, what is in use before what is possible: LM Studio's, that of vLLM and SGLang, those of
 * Ollama, OpenRouter and Together, of Groq, of Mistral.
 */
const SIZES = ['loaded_context_length', 'max_model_len', 'context_length', 'context_window', 'max_context_length']

function sizeIn(model: Fields): Pick<ListedModel, 'contextSize'> {
  // The last is llama-server's.
  const sizes = [...SIZES.map((name) => model[name]), fieldsOf(model['meta'])['n_ctx']]
  const contextSize = sizes.find((size) => Number.isSafeInteger(size) && (size as number) > 0)
  return contextSize === undefined ? {} : { contextSize: contextSize as number }
}

/** Returns the name of the server's only model. @throws EngineError */
export async function onlyModel(client: HttpClient, signal: AbortSignal): Promise<string> {
  const [only, ...others] = await listedModels(client, MODELS_PATH, signal)
  if (only !== undefined && others.length === 0) return only.name
  const names = only === undefined ? [] : [only, ...others].map(({ name }) => name)
  throw unavailable(`expected one model in ${MODELS_PATH}, got ${namesIn(names)}: set model`)
}

/** Names in a message. A hosted server has hundreds. */
export function namesIn(names: readonly string[]): string {
  if (names.length === 0) return 'none'
  const left = names.length - MAX_NAMES
  const shown = names.slice(0, MAX_NAMES).map((name) => shortened(name))
  return `${shown.join(', ')}${left > 0 ? ` and ${left} more` : ''}`
}

function unavailable(message: string): EngineError {
  return new EngineError('server_error', message, { isUnavailable: true })
}
