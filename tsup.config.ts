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
    core: 'src/core.ts',
    diagnostics: 'src/diagnostics.ts',
    trace: 'src/trace.ts',
    citations: 'src/citations.ts',
    items: 'src/items.ts',
    'prompt/index': 'src/prompt/index.ts',
    'request/index': 'src/request/index.ts',
    'respond/index': 'src/respond/index.ts',
    'seal/index': 'src/seal/index.ts',
    'server/index': 'src/server/index.ts',
    'server/node': 'src/server/node.ts',
    'stores/index': 'src/stores/index.ts',
    'stores/sqlite/index': 'src/stores/sqlite/index.ts',
    'stores/sqlite/worker': 'src/stores/sqlite/worker.ts',
    'dialects/index': 'src/dialects/index.ts',
    'harmony/index': 'src/harmony/index.ts',
    'tokens/index': 'src/tokens/index.ts',
    'sse/index': 'src/sse/index.ts',
    'conformance/index': 'src/conformance/index.ts',
    'conformance/arbitraries/index': 'src/conformance/arbitraries/index.ts',
    'engine/index': 'src/engine/index.ts',
    'tools/functions': 'src/tools/functions.ts',
    'tools/file-search': 'src/tools/file-search.ts',
    'testing/index': 'src/testing/index.ts',
    'sources/llama-cpp': 'src/sources/llama-cpp.ts',
    'sources/llama-server': 'src/sources/llama-server.ts',
    'sources/vllm': 'src/sources/vllm.ts',
    'sources/sglang': 'src/sources/sglang.ts',
    'sources/transformers-js': 'src/sources/transformers-js.ts',
    'sources/text': 'src/sources/text.ts',
    'sources/replay': 'src/sources/replay.ts',
    'sources/record': 'src/sources/record.ts',
    'tools/mcp/index': 'src/tools/mcp/index.ts',
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
  // Neither maps nor sources: they doubled the package. scripts/shorten-code.mjs keeps what a stack trace shows.
  sourcemap: false,
  clean: true,
  onSuccess: async (): Promise<void> => writeLicenses(),
})

export default config
