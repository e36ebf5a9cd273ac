import * as z from 'zod'
import { SPECIAL } from '../../../core/harmony/vocabulary.js'
import { jsonOf } from '../../../shared/json-of.js'
import { EngineError } from '../../contract/engine-error.js'
import { TransientError } from './failure-of.js'
import type { HttpClient } from './http-client.js'
import { isWithoutPath, listedModels } from './listed-models.js'
import { listOf } from './parse-event.js'
import { readText } from './read-text.js'

/** How a server proves that its model speaks Harmony. */
export interface ModelProof {
  /** The server's name in the `owned_by` of its models. */
  readonly ownedBy: string
  /** The endpoint of its tokenizer. */
  readonly path: string
  /** Returns the body that requests the token of a text which spells a special token. */
  readonly body: (text: string) => object
  /** The model that the engine uses. Default: the first. */
  readonly model?: string | undefined
}

/** Servers by the `owned_by` of their models, as their `GET /v1/models` has it. */
const KINDS: Readonly<Record<string, string>> = {
  vllm: 'vLLM',
  sglang: 'SGLang',
  llamacpp: 'llama-server',
  library: 'Ollama',
}

/** A text that is one special token of gpt-oss: small models made for tests have no others. */
const START = '<|start|>'
const MAX_ANSWER_CHARACTERS = 64 * 1024
/** How many models of a server an error names. */
const MAX_NAMES = 5

const tokenized = z.object({ tokens: listOf(z.number(), 'an array') })

/**
 * Proves that a server's model speaks Harmony: its tokenizer has 200006 for `<|start|>`. Any other model reads the
 * prompt's ids as tokens of its own, and answers with nonsense. Without a tokenizer endpoint, the model's name has to
 * contain gpt-oss.
 *
 * @param name - the server's, for messages
 * @throws EngineError `isUnavailable`, if it is another kind of server or another model, or nothing can be found out
 */
export async function proveModel(
  name: string,
  proof: ModelProof,
  client: HttpClient,
  signal: AbortSignal,
): Promise<void> {
  const listed = await listedModels(client, signal)
  const found = listed?.find(({ id, aliases }) => isNamed(proof.model, id, aliases))
  const kind = KINDS[found?.owned_by ?? '']
  if (kind !== undefined && found?.owned_by !== proof.ownedBy) throw wrong(`expected ${name}, got ${kind}`)
  const ids = await startIds(proof, client, signal)
  if (ids?.length === 1 && ids[0] === SPECIAL.start) return
  const model = quoted(found?.id ?? proof.model)
  if (ids !== undefined) {
    const got = ids.length === 1 ? `${ids[0]}` : `${ids.length} tokens`
    throw wrong(`expected a gpt-oss model, where ${START} is ${SPECIAL.start}, got ${model}, where it is ${got}`)
  }
  if (found === undefined && listed !== undefined && listed.length > 0) {
    const names = listed.slice(0, MAX_NAMES).map(({ id }) => quoted(id))
    throw wrong(`expected ${name} with the model ${model}, got one with ${names.join(', ')}`)
  }
  if (found === undefined) {
    const reason = `expected ${name}, got a server that has neither /v1/models nor ${proof.path}`
    throw new EngineError('server_error', `${reason}${client.hint}`, { isUnavailable: true, reason })
  }
  if (/gpt-?oss/i.test(found.id)) return
  throw wrong(
    `expected a gpt-oss model, got ${model}, and no ${proof.path} to find out more: checkModel: false skips this`,
  )
}

/** Whether a listed model is the requested one. Without a name, any is. */
function isNamed(model: string | undefined, id: string, aliases: unknown): boolean {
  if (model === undefined || id === model) return true
  return Array.isArray(aliases) && aliases.includes(model)
}

/** The ids of `<|start|>`; undefined if the server has no tokenizer. */
async function startIds(
  { path, body }: ModelProof,
  client: HttpClient,
  signal: AbortSignal,
): Promise<readonly number[] | undefined> {
  try {
    const { text } = await readText(await client.request('POST', path, signal, body(START)), MAX_ANSWER_CHARACTERS)
    signal.throwIfAborted()
    return tokenized.safeParse(jsonOf(text)).data?.tokens
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof TransientError || !isWithoutPath(error)) throw error
    return undefined
  }
}

function wrong(message: string): EngineError {
  // These words are ours and contain no address: clients and probes may read them.
  return new EngineError('server_error', message, { isUnavailable: true, reason: message })
}

function quoted(model: string | undefined): string {
  return model === undefined ? 'an unnamed one' : JSON.stringify(model.slice(0, 200))
}
