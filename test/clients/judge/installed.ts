import { readFileSync } from 'node:fs'
import { requirementsOf } from '../python/environment.mjs'

const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>
}

/** The environments of the clients for Python, by the packages as models name them. */
const PYTHON: Readonly<Record<string, readonly [environment: string, name: string]>> = {
  'openai for Python': ['openai-3', 'openai'],
  'anthropic for Python': ['anthropic', 'anthropic'],
}

/** The version of a package that the real clients are run with; a model was measured against one. */
export function installedVersion(name: string): string | undefined {
  const python = PYTHON[name]
  if (python === undefined) return lock.packages[`node_modules/${name}`]?.version
  const [environment, own] = python
  return new RegExp(`^${own}==(.+)$`, 'm').exec(readFileSync(requirementsOf(environment), 'utf8'))?.[1]
}
