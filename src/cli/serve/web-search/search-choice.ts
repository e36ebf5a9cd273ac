import type { SearchBackendName } from '../../../endpoint/tools/browser/index.js'
import { type Io, UsageError } from '../../io.js'
import { type Secret, variableSecret } from '../secrets.js'

/** The search of `--search`, and the hosts of `--search-allow`. */
export interface SearchChoice {
  readonly backend: SearchBackendName
  /** The address of an instance. */
  readonly url: string | undefined
  /** The key of a service. */
  readonly key: Secret | undefined
  /** The hosts of this network that may be opened. */
  readonly allow: readonly string[]
  /** The domains whose pages may be shown; empty for all. */
  readonly domains: readonly string[]
  readonly robots: 'ignore' | 'obey'
}

/** What is beside the search. */
export type SearchRules = Pick<SearchChoice, 'allow' | 'domains' | 'robots'>

/** By service, the variable with its key: the name that the service's own documentation uses. */
const VARIABLES = { brave: 'BRAVE_API_KEY', exa: 'EXA_API_KEY', tavily: 'TAVILY_API_KEY' } as const

const EXPECTED = 'searxng=URL, brave, exa or tavily'

/** Parses `--search`. Messages quote no address, which may contain a password. @throws UsageError */
export function searchChoice(given: string | undefined, rules: SearchRules, env: Io['env']): SearchChoice | undefined {
  if (given === undefined) {
    if (rules.allow.length > 0) throw new UsageError('--search-allow: expected only with --search')
    if (rules.domains.length > 0) throw new UsageError('--search-domain: expected only with --search')
    if (rules.robots !== 'ignore') throw new UsageError('--search-robots: expected only with --search')
    return undefined
  }
  const [name = '', ...rest] = given.split('=')
  const address = rest.join('=').trim()
  if (name === 'searxng') {
    if (address === '') throw new UsageError('--search searxng: expected searxng=URL, the address of an instance')
    return { backend: 'searxng', url: address, key: undefined, ...rules }
  }
  if (!Object.hasOwn(VARIABLES, name)) {
    // An address in the place of a name is not repeated.
    const got = /^[\w-]{1,60}$/.test(name) ? JSON.stringify(name) : 'another text'
    throw new UsageError(`--search: expected ${EXPECTED}, got ${got}`)
  }
  if (rest.length > 0) throw new UsageError(`--search ${name}: expected no address, because ${name} has one of its own`)
  const backend = name as keyof typeof VARIABLES
  const variable = VARIABLES[backend]
  const key = variableSecret(variable, env)
  if (key === undefined) throw new UsageError(`--search ${name}: expected its key in ${variable} or ${variable}_FILE`)
  return { backend, url: undefined, key, ...rules }
}
