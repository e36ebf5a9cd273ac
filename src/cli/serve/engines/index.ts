import type { CreateServed, OpenEngine } from './engine.js'

/** The engines by their options. The code of one is imported when it is opened. */
export const ENGINES = {
  replay: {
    option: {
      takes: 'nothing',
      operand: '[DIR]',
      about:
        'plays recordings: [token fixtures](testing.md) (`*.json`) of a folder, or one file; without `DIR`, those of the package; else a script',
      workers: { is: 'same' },
    },
    options: ['delay'],
    opener: async (): Promise<OpenEngine> => (await import('./open-replay.js')).openReplay,
  },
  script: {
    option: {
      takes: 'text',
      value: 'FILE',
      about: 'plays [turns that you write](#a-script-of-your-own), as JSON: answers, calls, failures, hangs',
      workers: { is: 'each', about: 'plays it from its first turn on', isRead: true },
    },
    options: ['delay'],
    opener: async (): Promise<OpenEngine> => (await import('./open-script.js')).openScript,
  },
  model: {
    option: {
      takes: 'text',
      value: 'FILE',
      about: 'a GGUF file of a gpt-oss model, by llama.cpp in this process (`npm install node-llama-cpp@3`)',
      workers: { is: 'refused', about: 'each worker would load the weights again' },
    },
    options: ['context-size'],
    opener: async (): Promise<OpenEngine> => (await import('./open-model.js')).openModel,
  },
  vllm: {
    option: {
      takes: 'text',
      value: 'URL',
      about: 'vLLM 0.10.2 or later, [started as engines.md says](engines.md); its key is in `HARMONY_ENGINE_API_KEY`',
      workers: { is: 'same' },
    },
    options: ['skip-model-check', 'structured-outputs', 'pass', 'context-size'],
    needsKey: true,
    creator: async (): Promise<CreateServed> => (await import('../../../engines/sources/vllm.js')).createVllmEngine,
    namesContext: true,
  },
  sglang: {
    option: { takes: 'text', value: 'URL', about: 'SGLang, in the same way', workers: { is: 'same' } },
    options: ['skip-model-check', 'structured-outputs', 'pass', 'context-size'],
    needsKey: true,
    creator: async (): Promise<CreateServed> => (await import('../../../engines/sources/sglang.js')).createSglangEngine,
  },
  'llama-server': {
    option: { takes: 'text', value: 'URL', about: "llama.cpp's server, in the same way", workers: { is: 'same' } },
    options: ['skip-model-check', 'pass'],
    needsKey: true,
    creator: async (): Promise<CreateServed> =>
      (await import('../../../engines/sources/llama-server.js')).createLlamaServerEngine,
  },
  'chat-server': {
    option: {
      takes: 'text',
      value: 'URL',
      about:
        '[a server of Chat Completions](chat-engine.md) with any model: Ollama, LM Studio, a hosted one; its key in the same way',
      workers: { is: 'same' },
    },
    options: ['chat-server-model', 'chat-server-preset', 'chat-server-config', 'pass', 'context-size'],
    needsKey: true,
    opener: async (): Promise<OpenEngine> => (await import('./open-chat-server.js')).openChatServer,
  },
} as const
