import { defineConfig } from 'tsup'

// JavaScript only: the types come from tsc, so that they map 1:1 to src and go-to-definition lands there.
export default defineConfig({
  entry: {
    index: 'src/index.ts',
    diagnostics: 'src/diagnostics.ts',
    trace: 'src/trace.ts',
    citations: 'src/citations.ts',
    'dialects/index': 'src/dialects/index.ts',
    'harmony/index': 'src/harmony/index.ts',
    'tokens/index': 'src/tokens/index.ts',
    'sse/index': 'src/sse/index.ts',
    'conformance/index': 'src/conformance/index.ts',
    'conformance/arbitraries/index': 'src/conformance/arbitraries/index.ts',
    'sources/replay': 'src/sources/replay.ts',
    'sources/record': 'src/sources/record.ts',
    'cli/main': 'src/cli/main.ts',
  },
  format: ['esm'],
  target: 'es2022',
  platform: 'neutral',
  external: [/^node:/],
  removeNodeProtocol: false,
  splitting: true,
  dts: false,
  sourcemap: true,
  clean: true,
})
