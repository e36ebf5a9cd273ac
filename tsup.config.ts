import { defineConfig } from 'tsup'

// JavaScript only: the types come from tsc, so that they map 1:1 to src and go-to-definition lands there.
export default defineConfig({
  entry: {
    index: 'src/index.ts',
    diagnostics: 'src/diagnostics.ts',
    trace: 'src/trace.ts',
    citations: 'src/citations.ts',
    items: 'src/items.ts',
    'dialects/index': 'src/dialects/index.ts',
    'harmony/index': 'src/harmony/index.ts',
    'tokens/index': 'src/tokens/index.ts',
    'sse/index': 'src/sse/index.ts',
    'conformance/index': 'src/conformance/index.ts',
    'conformance/arbitraries/index': 'src/conformance/arbitraries/index.ts',
    'engine/index': 'src/engine/index.ts',
    'sources/llama-cpp': 'src/sources/llama-cpp.ts',
    'sources/llama-server': 'src/sources/llama-server.ts',
    'sources/vllm': 'src/sources/vllm.ts',
    'sources/sglang': 'src/sources/sglang.ts',
    'sources/transformers-js': 'src/sources/transformers-js.ts',
    'sources/text': 'src/sources/text.ts',
    'sources/replay': 'src/sources/replay.ts',
    'sources/record': 'src/sources/record.ts',
    'cli/main': 'src/cli/main.ts',
  },
  format: ['esm'],
  target: 'es2022',
  platform: 'neutral',
  // The command line uses the core as its users do, so that the core is the file that they import.
  external: [/^node:/, '../index.js'],
  removeNodeProtocol: false,
  splitting: true,
  dts: false,
  sourcemap: true,
  clean: true,
})
