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

const { exports, bin }: Manifest = JSON.parse(readFileSync('package.json', 'utf8'))

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
  readonly bin: Readonly<Record<string, string>>
}

/** The modules that package.json names, and those that are loaded by their files. */
const entries = [
  ...[...Object.values(exports), ...Object.values(bin)].flatMap((target) => {
    const [, name] = /^\.\/dist\/(.+)\.js$/.exec(typeof target === 'string' ? target : target.default) ?? []
    return name === undefined ? [] : [name]
  }),
  'endpoint/stores/sqlite/worker',
]

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
