import type { Kind } from './install.js'

/** The files of tests, by their names, and the server that each needs. */
const SUITES: Readonly<Record<string, Kind>> = {
  ...{ vllm: 'vllm', 'vllm-strict': 'vllm', masks: 'vllm', sglang: 'sglang' },
}

/**
 * The selected suites: `SERVERS=vllm,sglang` chooses some, by default all. @throws Error for a name that there is not
 */
export function chosenSuites(): { readonly names: readonly string[]; readonly kinds: readonly Kind[] } {
  const names = process.env['SERVERS']?.split(',') ?? Object.keys(SUITES)
  const kinds = names.map((name) => {
    const kind = Object.hasOwn(SUITES, name) ? SUITES[name] : undefined
    if (kind === undefined) throw new Error(`SERVERS: expected some of ${Object.keys(SUITES).join(', ')}, got ${name}`)
    return kind
  })
  return { names, kinds: [...new Set(kinds)] }
}
