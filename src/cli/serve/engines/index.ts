import type { Io } from '../../io.js'
import type { EngineNeeds, EngineSettings, OpenedEngine } from './engine.js'
import type { ServerFacts } from './open-server.js'

type Arguments = [settings: EngineSettings, needs: EngineNeeds, io: Io]

/** Opens a server of gpt-oss, which is asked over HTTP. */
async function openServer(facts: ServerFacts, ...args: Arguments): Promise<OpenedEngine> {
  return (await import('./open-server.js')).openServer(facts, ...args)
}

/** The engines by their options. The code of one is loaded when it is opened. */
export const ENGINES = {
  replay: {
    option: {
      takes: 'nothing',
      operand: '[DIR]',
      about:
        'plays recordings: [token fixtures](testing.md) (`*.json`) of a folder, or one file; without `DIR`, those of the package; else a script',
    },
    open: async (...args: Arguments): Promise<OpenedEngine> => (await import('./open-replay.js')).openReplay(...args),
  },
  script: {
    option: {
      takes: 'text',
      value: 'FILE',
      about: 'plays [turns that you write](#a-script-of-your-own), as JSON: answers, calls, failures, hangs',
    },
    open: async (...args: Arguments): Promise<OpenedEngine> => (await import('./open-script.js')).openScript(...args),
  },
  model: {
    option: {
      takes: 'text',
      value: 'FILE',
      about: 'a GGUF file of a gpt-oss model, by llama.cpp in this process (`npm install node-llama-cpp@3`)',
    },
    open: async (...args: Arguments): Promise<OpenedEngine> => (await import('./open-model.js')).openModel(...args),
  },
  vllm: {
    option: {
      takes: 'text',
      value: 'URL',
      about: 'vLLM 0.10.2 or later, [started as engines.md says](engines.md); its key is in `HARMONY_ENGINE_API_KEY`',
    },
    needsKey: true,
    open: (...args: Arguments): Promise<OpenedEngine> =>
      openServer(
        {
          name: 'vllm',
          create: async () => (await import('../../../engines/sources/vllm.js')).createVllmEngine,
          hasBackends: true,
          namesContext: true,
        },
        ...args,
      ),
  },
  sglang: {
    option: { takes: 'text', value: 'URL', about: 'SGLang, in the same way' },
    needsKey: true,
    open: (...args: Arguments): Promise<OpenedEngine> =>
      openServer(
        {
          name: 'sglang',
          create: async () => (await import('../../../engines/sources/sglang.js')).createSglangEngine,
          hasBackends: true,
        },
        ...args,
      ),
  },
  'llama-server': {
    option: { takes: 'text', value: 'URL', about: "llama.cpp's server, in the same way" },
    needsKey: true,
    open: (...args: Arguments): Promise<OpenedEngine> =>
      openServer(
        {
          name: 'llama-server',
          create: async () => (await import('../../../engines/sources/llama-server.js')).createLlamaServerEngine,
        },
        ...args,
      ),
  },
} as const
