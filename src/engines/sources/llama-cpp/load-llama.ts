import { isMissing, notInstalled } from '../../../shared/missing-package.js'
import { EngineError } from '../../contract/engine-error.js'
import { llamaError } from './llama-error.js'
import type { NodeLlamaCpp, OwnLlama } from './node-llama-cpp.js'

/** In a variable, so that bundlers and TypeScript do not resolve a package that other engines do not need. */
const MODULE = 'node-llama-cpp'

/**
 * Loads llama.cpp from node-llama-cpp's prebuilt binaries, without downloading or compiling. Logs only errors, because
 * every load of gpt-oss causes wrong warnings about its special tokens.
 *
 * @throws EngineError `server_error` if node-llama-cpp or a binary for this computer is missing
 */
export async function loadLlama(
  gpu: 'auto' | 'metal' | 'cuda' | 'vulkan' | false,
  threads: number | undefined,
): Promise<OwnLlama> {
  const { getLlama } = await importNodeLlamaCpp()
  try {
    return await getLlama({
      gpu,
      build: 'never',
      skipDownload: true,
      progressLogs: false,
      logLevel: 'error',
      ...(threads === undefined ? {} : { maxThreads: threads }),
    })
  } catch (error) {
    if (!(error instanceof Error && error.message === 'NoBinaryFoundError')) throw llamaError(error)
    const message =
      `node-llama-cpp has no binary for this computer${gpu === 'auto' ? '' : ` with gpu: ${gpu}`}. Install it with ` +
      'its optional dependencies, or build one and pass it: llama: await getLlama().'
    throw new EngineError('server_error', message, { cause: error })
  }
}

/** @throws EngineError `server_error` if it is missing */
export async function importNodeLlamaCpp(): Promise<NodeLlamaCpp> {
  try {
    return await import(/* webpackIgnore: true */ /* @vite-ignore */ MODULE)
  } catch (error) {
    if (!isMissing(error, MODULE)) throw llamaError(error)
    throw new EngineError('server_error', notInstalled(MODULE, 3), { cause: error })
  }
}
