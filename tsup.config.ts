import { readFileSync, writeFileSync } from 'node:fs'
import { defineConfig } from 'tsup'

/**
 * Packages that are part of the bundles: they are in no public type, and only a part of each is used. zod alone is a
 * hundred files, two thirds of them words of other languages, and opening them took half of a command's cold start. Of noble
 * one cipher is used: the rest is comments, and tables that would be computed on import.
 */
const BUNDLED = ['zod', '@noble/ciphers']

/** What is bundled is published with its licence. */
function writeLicenses(): void {
  const texts = BUNDLED.map((name) => `${name}\n\n${readFileSync(`node_modules/${name}/LICENSE`, 'utf8')}`)
  writeFileSync('dist/THIRD-PARTY-LICENSES.txt', texts.join('\n\n'))
}

// JavaScript only: the types come from tsc.
const config: ReturnType<typeof defineConfig> = defineConfig({
  entry: {
    index: 'src/index.ts',
    'core/diagnostics/index': 'src/core/diagnostics/index.ts',
    'core/trace/index': 'src/core/trace/index.ts',
    'core/citations/index': 'src/core/citations/index.ts',
    'core/items/index': 'src/core/items/index.ts',
    'endpoint/prompt/index': 'src/endpoint/prompt/index.ts',
    'endpoint/request/index': 'src/endpoint/request/index.ts',
    'endpoint/respond/index': 'src/endpoint/respond/index.ts',
    'endpoint/seal/index': 'src/endpoint/seal/index.ts',
    'endpoint/server/index': 'src/endpoint/server/index.ts',
    'endpoint/server/node': 'src/endpoint/server/node.ts',
    'endpoint/stores/index': 'src/endpoint/stores/index.ts',
    'endpoint/stores/sqlite/index': 'src/endpoint/stores/sqlite/index.ts',
    'endpoint/stores/sqlite/worker': 'src/endpoint/stores/sqlite/worker.ts',
    'dialects/index': 'src/dialects/index.ts',
    'core/harmony/index': 'src/core/harmony/index.ts',
    'core/tokens/index': 'src/core/tokens/index.ts',
    'core/sse/index': 'src/core/sse/index.ts',
    'judge/conformance/index': 'src/judge/conformance/index.ts',
    'judge/conformance/arbitraries/index': 'src/judge/conformance/arbitraries/index.ts',
    'engines/contract/index': 'src/engines/contract/index.ts',
    'endpoint/tools/functions': 'src/endpoint/tools/functions.ts',
    'endpoint/tools/file-search': 'src/endpoint/tools/file-search.ts',
    'testing/index': 'src/testing/index.ts',
    'engines/sources/llama-cpp': 'src/engines/sources/llama-cpp.ts',
    'engines/sources/llama-server': 'src/engines/sources/llama-server.ts',
    'engines/sources/vllm': 'src/engines/sources/vllm.ts',
    'engines/sources/sglang': 'src/engines/sources/sglang.ts',
    'engines/sources/transformers-js': 'src/engines/sources/transformers-js.ts',
    'engines/sources/text': 'src/engines/sources/text.ts',
    'engines/sources/replay': 'src/engines/sources/replay.ts',
    'engines/sources/record': 'src/engines/sources/record.ts',
    'endpoint/tools/mcp/index': 'src/endpoint/tools/mcp/index.ts',
    'cli/main': 'src/cli/main.ts',
  },
  format: ['esm'],
  target: 'es2022',
  platform: 'neutral',
  external: [/^node:/],
  noExternal: BUNDLED,
  removeNodeProtocol: false,
  splitting: true,
  dts: false,
  // The package has the sources beside the maps.
  sourcemap: true,
  esbuildOptions(options): void {
    options.sourcesContent = false
  },
  clean: true,
  onSuccess: async (): Promise<void> => writeLicenses(),
})

export default config
