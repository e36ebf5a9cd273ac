import { readFileSync, writeFileSync } from 'node:fs'
import { defineConfig } from 'tsup'
import { entries } from './scripts/entries.mjs'

/**
 * Packages that are part of the bundles: they are in no public type, and only a part of each is used. zod alone is a
 * hundred files, two thirds of them words of other languages, and opening them took half of a command's cold start. Of noble
 * one cipher is used: the rest is comments, and tables that would be computed on import.
 */
const BUNDLED = ['zod', '@noble/ciphers']

/** Packages that are part of the page. */
const OF_THE_PAGE = ['preact', '@preact/signals', '@preact/signals-core', 'eventsource-parser', 'uplot']

/** What is bundled is published with its licence. */
function writeLicenses(): void {
  const texts = [...BUNDLED, ...OF_THE_PAGE].map(
    (name) => `${name}\n\n${readFileSync(`node_modules/${name}/LICENSE`, 'utf8')}`,
  )
  writeFileSync('dist/THIRD-PARTY-LICENSES.txt', texts.join('\n\n'))
}

// JavaScript only: the types come from tsc.
const config: ReturnType<typeof defineConfig> = defineConfig({
  entry: Object.fromEntries(entries.map((name) => [name, `src/${name}.ts`])),
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
