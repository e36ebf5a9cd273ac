import type { ServedEngine } from '../../../engines/contract/engine-server.js'
import { namesIn } from '../../../engines/sources/chat/listed-models.js'
import { TRAITS } from '../../../engines/sources/chat/traits.js'
import { type ChatTraits, createChatEngine } from '../../../engines/sources/chat.js'
import { checkOptions } from '../../../shared/options/check-options.js'
import { type Io, messageOf, nameOf, readFileOrStdin, UsageError } from '../../io.js'
import type { EngineNeeds, EngineSettings, OpenedEngine } from './engine.js'
import { engineUsageError } from './engine-usage-error.js'

/** How long the server may take to name its model. */
const SECONDS = 5

/** Opens the engine of a server of Chat Completions. @throws UsageError, also if its model is unknown */
export async function openChatServer(settings: EngineSettings, needs: EngineNeeds, io: Io): Promise<OpenedEngine> {
  const { target: url = '', chatServerModel: named, chatServerPreset: preset, chatServerConfig, contextSize } = settings
  const traits = chatServerConfig === undefined ? {} : await readTraits(chatServerConfig, io)
  let engine: ServedEngine
  try {
    engine = createChatEngine({
      ...{ url, ...traits },
      ...(named !== undefined && { model: named }),
      ...(preset && { preset }),
      ...(needs.key && { apiKey: needs.key }),
      ...(contextSize !== undefined && { contextSize }),
    })
  } catch (error) {
    // The address is not named: it may have a password in it.
    throw engineUsageError(error, '--chat-server')
  }
  const { server } = engine
  const model = named ?? (await onlyModel(engine))
  const about = `${model} at ${new URL(url).host}${preset === undefined ? '' : `, as ${preset}`}`
  return { engine, server, about, model }
}

/** @throws UsageError unless the server lists one model */
async function onlyModel({ health, server }: ServedEngine): Promise<string> {
  const signal = AbortSignal.timeout(SECONDS * 1000)
  let names: readonly string[]
  try {
    await health({ signal })
    names = await server.models(signal)
  } catch (error) {
    const why = signal.aborted ? `it did not list its models within ${SECONDS} seconds` : messageOf(error)
    throw new UsageError(`--chat-server: ${why}`, { cause: error })
  }
  const [only, ...others] = names
  if (only !== undefined && others.length === 0) return only
  const got = only === undefined ? 'a server that lists none' : `none, and the server has ${namesIn(names)}`
  throw new UsageError(`--chat-server-model: expected the name of a model, got ${got}`)
}

/** @throws UsageError */
async function readTraits(file: string, io: Io): Promise<ChatTraits> {
  const where = `--chat-server-config ${nameOf(file)}`
  const text = await readFileOrStdin(file, io)
  let traits: unknown
  try {
    traits = JSON.parse(text)
  } catch (cause) {
    throw new UsageError(`${where}: expected JSON: ${messageOf(cause)}`, { cause })
  }
  try {
    checkOptions('it', traits, TRAITS)
  } catch (cause) {
    throw new UsageError(`${where}: ${messageOf(cause).replace(/^it: /, '')}`, { cause })
  }
  return traits as ChatTraits
}
