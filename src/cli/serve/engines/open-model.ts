import { stat } from 'node:fs/promises'
import { createLlamaCppEngine } from '../../../engines/sources/llama-cpp.js'
import { type Io, UsageError, unreadable } from '../../io.js'
import type { EngineNeeds, EngineSettings, OpenedEngine } from './engine.js'
import { engineUsageError } from './engine-usage-error.js'
import { loadProgress } from './load-progress.js'

/** Opens llama.cpp with a GGUF file. @throws UsageError */
export async function openModel(
  { target: file = '', contextSize, parallel }: EngineSettings,
  _needs: EngineNeeds,
  io: Io,
): Promise<OpenedEngine> {
  const found = await stat(file).catch((error: unknown) => {
    throw unreadable(file, error)
  })
  if (!found.isFile()) throw new UsageError(`cannot read ${file}: expected a GGUF file`)
  const sizes = { ...(contextSize !== undefined && { contextSize }), ...(parallel !== undefined && { parallel }) }
  const opened = createLlamaCppEngine({ modelPath: file, ...sizes, onProgress: loadProgress(file, io) })
  const engine = await opened.catch((error: unknown) => {
    throw engineUsageError(error, `--model ${file}`)
  })
  return { engine, about: `llama.cpp with ${file}`, close: () => engine.dispose() }
}
