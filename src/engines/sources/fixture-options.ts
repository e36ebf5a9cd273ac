import { urlCitations } from '../../core/citations/url-citations.js'
import type { TranslateOptions } from '../../defaults.js'
import type { TokenFixture } from './token-fixture.js'

/** Derives from a fixture the values that are otherwise random or read from a clock, but for the response's id. */
export function fixtureOptions({ created_at, request, setup = {} }: TokenFixture): TranslateOptions {
  const { citations, ...given } = setup
  return {
    ...given,
    ...(citations === true ? { citations: urlCitations() } : {}),
    clock: () => created_at ?? 0,
    ...(request === undefined ? {} : { request }),
  }
}

/** Returns the id of a fixture's response from the SHA-256 of its name, in hexadecimal digits. */
export function fixtureResponseId(hash: string): string {
  return `resp_${hash.slice(0, 50)}`
}
