import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The version of a package that a project of this repository installs: `7.57.0`. */
export function lockedVersion(project: 'test/clients' | 'test/programs', name: string): string {
  const { packages } = JSON.parse(readFileSync(`${root}${project}/package-lock.json`, 'utf8'))
  const { version } = packages[`node_modules/${name}`] ?? {}
  if (version === undefined) throw new Error(`${project}/package-lock.json has no ${name}`)
  return version
}

/** The same without the patch: `7.57`. */
export function lockedMinor(...given: Parameters<typeof lockedVersion>): string {
  return lockedVersion(...given).replace(/\.\d+$/, '')
}

/** The version of a distribution for Python that a file of test/clients/python/requirements pins. */
export function requiredVersion(client: string, name: string): string {
  const pins = readFileSync(`${root}test/clients/python/requirements/${client}.txt`, 'utf8')
  const version = pins.split('\n').find((line) => line.startsWith(`${name}==`))
  if (version === undefined) throw new Error(`requirements/${client}.txt has no ${name}`)
  return version.slice(name.length + 2)
}
