import type { MatcherState } from '../engines/grammar/index.js'
import { type JsonString, stringsIn } from './json-strings.js'
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
const MAX_TEXTS = 300

/**
 * Returns a completion of a body with texts that validators accept, if the grammar allows them.
 *
 * @param before - the present part of the body
 * @param completion - a shortest text that completes it
 * @param state - the state of the grammar after `before`
 */
export function withPreferredTexts(before: string, completion: string, state: MatcherState, schema: unknown): string {
  let written = before
  let rest = { text: completion, at: 0, strings: stringsAfter(before, completion) }
  let reached = state
  for (let looked = 0; looked < MAX_TEXTS; looked++) {
    const next = rest.strings.pop()
    if (next === undefined) break
    const between = rest.text.slice(rest.at, next.start)
    const here = reached.accept(between)
    if (here === undefined) break
    const own = rest.text.slice(next.start, next.end)
    const following = rest.text.slice(next.end, rest.strings.at(-1)?.start)
    const taken = preferred(next.path, schema).find((text) => continues(here.accept(text), following))
    const after = here.accept(taken ?? own)
    if (after === undefined) break
    written += between + (taken ?? own)
    reached = after
    // In a grammar, the continuation may depend on the text before it. It is only then found anew: that takes time that
    // grows with it, for each text of a body.
    const isSame = taken === undefined || after.accept(following) !== undefined
    const text = isSame ? rest.text : (after.completion() as string)
    rest = isSame ? { ...rest, at: next.end } : { text, at: 0, strings: stringsAfter(written, text) }
  }
  const end = rest.text.slice(rest.at)
  return written.slice(before.length) + (reached.accept(end)?.isComplete ? end : (reached.completion() ?? end))
}

/** Returns the strings of a continuation, last first, with their places in it. */
function stringsAfter(written: string, continuation: string): JsonString[] {
  return stringsIn(written + continuation)
    .filter(({ start }) => start >= written.length)
    .map(({ start, end, path }) => ({ start: start - written.length, end: end - written.length, path }))
    .reverse()
}

function preferred(path: JsonString['path'], schema: unknown): string[] {
  return formatsAt(schema, path).flatMap((format) => (PREFERRED.get(format) ?? []).map((text) => JSON.stringify(text)))
}

/** Whether a text can be completed after this state: by what follows already, or in any other way. */
function continues(state: MatcherState | undefined, following: string): boolean {
  return state !== undefined && (state.accept(following) !== undefined || state.completion() !== undefined)
}
