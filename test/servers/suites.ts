import type { Kind } from './install.js'

/** The files of tests, by their names, and the server that each needs. */
const SUITES: Readonly<Record<string, Kind>> = {
  ...{ vllm: 'vllm', 'vllm-strict': 'vllm', grammars: 'vllm', masks: 'vllm', sglang: 'sglang' },
}
/** The ones that are too long for each change: `npm run test:full` runs them too. */
const FULL: Readonly<Record<string, Kind>> = {
  ...{ 'sglang-strict': 'sglang', transformers: 'transformers', 'llama-server': 'llama-server' },
}
const ALL: Readonly<Record<string, Kind>> = { ...SUITES, ...FULL }

/**
 * The selected suites: `SERVERS=vllm,sglang` chooses some, by default all that are not too long. @throws Error for a name that there is not
 */
export function chosenSuites(): { readonly names: readonly string[]; readonly kinds: readonly Kind[] } {
  const names = process.env['SERVERS']?.split(',') ?? Object.keys(process.env['SERVERS_FULL'] ? ALL : SUITES)
  const kinds = names.map((name) => {
    const kind = Object.hasOwn(ALL, name) ? ALL[name] : undefined
    if (kind === undefined) throw new Error(`SERVERS: expected some of ${Object.keys(ALL).join(', ')}, got ${name}`)
    return kind
  })
  return { names, kinds: [...new Set(kinds)] }
}
