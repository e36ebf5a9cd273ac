import { readFileSync } from 'node:fs'
import { HarmonyResponsesError } from '../../../shared/errors.js'

/* What the URLs of databases have in common. No message has a user or a password. */

/** Makes the error for a URL that is refused. */
export type Refusal = (problem: string) => HarmonyResponsesError

/** @param where - the function that takes the URL */
export function refusalOf(where: string): Refusal {
  return (problem) => new HarmonyResponsesError('bad_option', `${where}: url: ${problem}`)
}

/** @throws HarmonyResponsesError `bad_option` if there is one that is not among the names */
export function checkParameters(parameters: URLSearchParams, names: readonly string[], refused: Refusal): void {
  // Not which: a password with a `?` that is not escaped becomes a parameter.
  const isUnknown = [...parameters.keys()].some((name) => !names.includes(name))
  if (isUnknown) throw refused(`expected no parameters but ${names.join(', ')}`)
}

/** @param what - as in `password` */
export function decodedPart(text: string, what: string, refused: Refusal): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw refused(`expected a ${what} whose special characters are written as %XX`)
  }
}

/**
 * Reads the files that parameters name.
 *
 * @param names - the parameter of each option
 */
export function filesOf<Option extends string>(
  parameters: URLSearchParams,
  names: Readonly<Record<Option, string>>,
  refused: Refusal,
): { readonly [Name in Option]?: string } {
  const read = Object.entries<string>(names).flatMap(([option, name]) => {
    const file = parameters.get(name)
    return file === null ? [] : [[option, contentOf(file, name, refused)] as const]
  })
  return Object.fromEntries(read) as { readonly [Name in Option]?: string }
}

function contentOf(file: string, name: string, refused: Refusal): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw refused(`${name}: cannot read ${file}: ${(error as { readonly code?: string }).code}`)
  }
}

/** Returns the host of a URL without the brackets of an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

/** Returns an address as it may be shown. */
export function shownAddress(host: string, port: number, database: string | number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}/${database}`
}
