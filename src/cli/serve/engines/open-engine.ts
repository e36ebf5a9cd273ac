import type { Io } from '../../io.js'
import type { Engine, EngineNeeds, EngineSettings, OpenedEngine } from './engine.js'
import { ENGINES } from './index.js'

/** Opens the engine of an option. @throws UsageError if it cannot be opened with these settings */
export async function openEngine(
  name: keyof typeof ENGINES,
  settings: EngineSettings,
  needs: EngineNeeds,
  io: Io,
): Promise<OpenedEngine> {
  const engine: Engine = ENGINES[name]
  if ('opener' in engine) return (await engine.opener())(settings, needs, io)
  return (await import('./open-server.js')).openServer(name, engine, settings, needs, io)
}
