import type { MatcherState } from '../engines/grammar/index.js'
import { stringsIn } from './json-strings.js'
import { formatsAt } from './schema-formats.js'

/**
 * Texts of formats that validators accept, which are often stricter than the grammar: its shortest URL is `0:`, and its
 * shortest emoji nothing. The first one that the schema allows is used.
 */
const PREFERRED: ReadonlyMap<string, readonly string[]> = new Map([
  ['date', ['2024-01-01']],
  ['time', ['12:00:00Z', '12:00:00', '12:00']],
  ['date-time', ['2024-01-01T12:00:00Z', '2024-01-01T12:00:00', '2024-01-01T12:00:00+00:00']],
  ['duration', ['P1D', 'PT1H']],
  ['email', ['user@example.com']],
  ['idn-email', ['user@example.com']],
  ['hostname', ['example.com']],
  ['idn-hostname', ['example.com']],
  ['ipv4', ['192.0.2.1']],
  ['ipv6', ['2001:db8::1']],
  ['cidrv4', ['192.0.2.0/24']],
  ['cidrv6', ['2001:db8::/32']],
  ['uri', ['https://example.com', 'http://example.com', 'wss://example.com', 'mailto:user@example.com']],
  ['url', ['https://example.com', 'http://example.com']],
  ['iri', ['https://example.com']],
  ['uri-reference', ['https://example.com', '/a']],
  ['iri-reference', ['https://example.com', '/a']],
  ['uri-template', ['https://example.com/{id}']],
  ['uuid', ['3f2504e0-4f89-41d3-9a0c-0305e82c3301', '0190b6e8-7c3a-7cc4-98c4-dc0c0c07398f']],
  ['regex', ['^a$']],
  ['json-pointer', ['/a']],
  ['emoji', ['\u{1F600}']],
  // {"alg":"HS256","typ":"JWT"}, {} and no real signature.
  ['jwt', ['eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.c2lnbmF0dXJl']],
])

/** The maximum number of texts of a body that are replaced: each may be tried in the grammar. */
const MOST_TEXTS = 300

/**
 * Returns a completion of a body with texts that validators accept, if the grammar allows them.
 *
 * @param before - the present part of the body
 * @param completion - a shortest text that completes it
 * @param state - the state of the grammar after `before`
 */
export function withPreferredTexts(before: string, completion: string, state: MatcherState, schema: unknown): string {
  let body = before + completion
  let strings = stringsIn(body).filter(({ start }) => start >= before.length)
  let [at, reached] = [before.length, state]
  for (let looked = 0; looked < MOST_TEXTS; looked++) {
    const next = strings.shift()
    const here = next && reached.accept(body.slice(at, next.start))
    if (next === undefined || here === undefined) break
    const own = body.slice(next.start, next.end)
    const texts = formatsAt(schema, next.path).flatMap((format) => PREFERRED.get(format) ?? [])
    const taken = texts
      .map((text) => JSON.stringify(text))
      .find((text) => here.accept(text)?.completion() !== undefined)
    const after = here.accept(taken ?? own)
    if (after === undefined) break
    at = next.start + (taken ?? own).length
    reached = after
    if (taken === undefined) continue
    // In a grammar, the continuation depends on the text before it.
    body = body.slice(0, next.start) + taken + after.completion()
    strings = stringsIn(body).filter(({ start }) => start >= at)
  }
  return body.slice(before.length)
}
