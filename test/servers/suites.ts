import type { Kind } from './install.js'

/** The files of tests, by their names, and the servers that each needs. */
const SUITES: Readonly<Record<string, readonly Kind[]>> = {
  ...{ vllm: ['vllm'], 'vllm-strict': ['vllm'], masks: ['vllm'], sglang: ['sglang'] },
  grammars: ['vllm', 'sglang'],
}
/** The ones that are too long for each change: `npm run test:full` runs them too. */
const FULL: Readonly<Record<string, readonly Kind[]>> = {
  ...{ 'sglang-strict': ['sglang'], transformers: ['transformers'], 'llama-server': ['llama-server'] },
}
const ALL: Readonly<Record<string, readonly Kind[]>> = { ...SUITES, ...FULL }

/**
 * The selected suites: `SERVERS=vllm,sglang` chooses some, by default all that are not too long. @throws Error for a name that there is not
 */
export function chosenSuites(): { readonly names: readonly string[]; readonly kinds: readonly Kind[] } {
  const names = process.env['SERVERS']?.split(',') ?? Object.keys(process.env['SERVERS_FULL'] ? ALL : SUITES)
  const kinds = names.flatMap((name) => {
    const needed = Object.hasOwn(ALL, name) ? ALL[name] : undefined
    if (needed === undefined) throw new Error(`SERVERS: expected some of ${Object.keys(ALL).join(', ')}, got ${name}`)
    return needed
  })
  return { names, kinds: [...new Set(kinds)] }
}
