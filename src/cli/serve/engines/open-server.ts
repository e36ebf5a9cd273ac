import type { ServedEngine } from '../../../engines/contract/engine-server.js'
import type { Io } from '../../io.js'
import type { EngineNeeds, EngineSettings, OpenedEngine, ServerEngine } from './engine.js'
import { engineUsageError } from './engine-usage-error.js'

/** Opens an engine that asks a server, whose URL is in the option of this name. @throws UsageError */
export async function openServer(
  name: string,
  { creator, options, namesContext }: ServerEngine,
  { target: url = '', skipModelCheck, structuredOutputs, contextSize }: EngineSettings,
  { key: apiKey }: EngineNeeds,
  { complain }: Io,
): Promise<OpenedEngine> {
  const hasBackends = options.includes('structured-outputs')
  let grammarBackend: string = structuredOutputs ?? 'unknown'
  const createEngine = await creator()
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
