import { getLlama, type Llama, LlamaLogLevel } from 'node-llama-cpp'
import { inject } from 'vitest'
import type { Models } from './build-models.js'

/** The model files of this run. */
export const models: Models = inject('models')

/**
 * The engine on the CPU: the build that is installed, never a download or a compilation. One thread, because the
 * model is so small that threads would only wait for each other.
 */
export function cpuLlama(): Promise<Llama> {
  return getLlama({
    gpu: false,
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    logLevel: LlamaLogLevel.error,
    maxThreads: 1,
  })
}
