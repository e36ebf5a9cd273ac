import { afterAll, beforeAll, describe } from 'vitest'
import type { ServedEngine } from '../../src/engines/contract/engine-server.js'
import type { HttpOptions } from '../../src/engines/sources/http/http-client.js'
import { createLlamaServerEngine } from '../../src/engines/sources/llama-server.js'
import { createSglangEngine } from '../../src/engines/sources/sglang.js'
import { createVllmEngine } from '../../src/engines/sources/vllm.js'
import { type Kind, obstacle } from './install.js'
import { type RealServer, type ServerOptions, startServer } from './server.js'

/** A server that runs, and the engine in front of it. */
export interface Running {
  readonly server: () => RealServer
  readonly engine: () => ServedEngine
  /** How many calls it works on now. */
  readonly running: () => Promise<number>
}

const CREATE: Readonly<Record<Kind, (options: HttpOptions) => ServedEngine>> = {
  ...{ vllm: createVllmEngine, sglang: createSglangEngine, 'llama-server': createLlamaServerEngine },
  // Its server answers as vLLM does.
  transformers: createVllmEngine,
}
/** The names under which `/metrics` counts calls that run. */
const GAUGES: Readonly<Record<Kind, string>> = {
  ...{ vllm: 'vllm:num_requests_running', sglang: 'sglang:num_running_reqs' },
  ...{ transformers: 'vllm:num_requests_running', 'llama-server': 'llamacpp:requests_processing' },
}

/** Runs tests against a separate server, one at a time. Skipped, with the reason, if none can be installed. */
export function onServer(options: ServerOptions, tests: (running: Running) => void): void {
  const { kind, model, flags = [], title: more } = options
  const missing = obstacle(kind)
  const words = [...flags.filter((flag) => !flag.startsWith('--')), ...(more === undefined ? [] : [more])]
  const title = [kind, ...(typeof model === 'string' ? [model] : []), ...words].join(', ')
  describe.skipIf(missing !== undefined)(missing === undefined ? title : `${title} (skipped: ${missing})`, () => {
    let server: RealServer | undefined
    let engine: ServedEngine | undefined
    const started = (): RealServer => server ?? raise('the server did not start')
    beforeAll(async () => {
      server = await startServer(options)
      engine = CREATE[kind]({ url: server.url })
    })
    afterAll(async () => {
      await server?.stop()
    })
    tests({
      server: started,
      engine: () => engine ?? raise('the server did not start'),
      async running() {
        const text = await (await fetch(`${started().url}/metrics`)).text()
        const values = Array.from(text.matchAll(new RegExp(`^${GAUGES[kind]}(?:\\{.*\\})? (.+)$`, 'gm')), ([, value]) =>
          Number(value),
        )
        return values.reduce((sum, value) => sum + value, 0)
      },
    })
  })
}

function raise(message: string): never {
  throw new Error(message)
}
