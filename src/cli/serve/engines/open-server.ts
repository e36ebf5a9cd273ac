import type { ServedEngine } from '../../../engines/contract/engine-server.js'
import type { GrammarBackend, NamedBackend } from '../../../engines/sources/structured-outputs/backends.js'
import type { Io } from '../../io.js'
import type { EngineNeeds, EngineSettings, OpenedEngine } from './engine.js'
import { engineUsageError } from './engine-usage-error.js'

/** What differs between the servers. */
export interface ServerFacts {
  /** Its option, which has its URL. */
  readonly name: 'vllm' | 'sglang' | 'llama-server'
  /** Imports the function that creates its engine. */
  create(): Promise<(options: ServerOptions) => ServedEngine>
  /** Whether it has a choice of grammar backends. */
  readonly hasBackends?: boolean
  /** Whether it has to name the length of its context. */
  readonly namesContext?: boolean
}

interface ServerOptions {
  readonly url: string
  readonly apiKey?: () => string
  readonly checkModel: boolean
  readonly structuredOutputs?: NamedBackend
  readonly contextSize?: number
  readonly onBackend?: (backend: GrammarBackend) => void
}

/** Opens an engine that asks a server. @throws UsageError */
export async function openServer(
  { name, create, hasBackends, namesContext }: ServerFacts,
  { target: url = '', skipModelCheck, structuredOutputs, contextSize }: EngineSettings,
  { key: apiKey }: EngineNeeds,
  { complain }: Io,
): Promise<OpenedEngine> {
  let grammarBackend: string = structuredOutputs ?? 'unknown'
  const createEngine = await create()
  let engine: ServedEngine
  try {
    engine = createEngine({
      ...{ url, checkModel: !skipModelCheck },
      ...(apiKey && { apiKey }),
      ...(structuredOutputs && { structuredOutputs }),
      ...(contextSize !== undefined && { contextSize }),
      ...(hasBackends && {
        onBackend(backend) {
          grammarBackend = backend
          complain(`${name}: the grammar backend is ${backend}\n`)
        },
      }),
    })
  } catch (error) {
    // The address is not named: it may have a password in it.
    throw engineUsageError(error, `--${name}`)
  }
  const about = `${name} at ${new URL(url).host}`
  const { server } = engine
  if (!hasBackends) return { engine, server, about }
  const backend = structuredOutputs ?? 'unknown until the first strict request'
  return {
    ...{ engine, server, about: `${about}, grammar backend ${backend}`, grammarBackend: () => grammarBackend },
    ...(namesContext && { namesContext }),
  }
}
