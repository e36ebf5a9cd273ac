import { check, isIterable } from '../errors.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import type { Response } from '../responses/response.js'
import type { TokenSource } from '../tokens/token-source.js'
import type { TokenTable } from '../tokens/token-table.js'
import { listingsOf } from './mcp-listing.js'
import { checkOptions, type TranslateOptions } from './options.js'
import { plainCopy } from './plain-copy.js'
import { pull } from './pull.js'
import { withoutSecrets } from './without-secrets.js'

/**
 * Pulls a source through a `Translator`: the events of each chunk as one array, never empty. The source is read only as
 * fast as batches are taken, and closed as soon as nobody wants more: at the end, on abort and when the consumer stops
 * (at once, even while it is being waited for).
 *
 * A source that throws ends the stream with `error` and `response.failed`; the generator itself does not throw. An
 * error's own `code` goes through where it is one of the API's form (`context_length_exceeded`).
 *
 * @param loadTokenTable - asked for the token table where the options bring none
 * @returns after the terminal event, the response
 * @throws HarmonyResponsesError `bad_option`, from the call itself
 */
export function translateBatches(
  source: TokenSource,
  options: TranslateOptions,
  loadTokenTable?: () => Promise<TokenTable>,
): AsyncGenerator<ResponseStreamEvent[], Response> {
  checkPull(source, options)
  return pull(source, options, loadTokenTable, (events) => [events])
}

/** The same, an event at a time. */
export function translateEvents(
  source: TokenSource,
  options: TranslateOptions,
  loadTokenTable?: () => Promise<TokenTable>,
): AsyncGenerator<ResponseStreamEvent, Response> {
  checkPull(source, options)
  return pull(source, options, loadTokenTable, (events) => events)
}

/**
 * What the translator would find wrong with the options: it is made only when somebody reads, and the table is there.
 */
function checkPull(source: TokenSource, options: TranslateOptions): void {
  checkOptions(options)
  withoutSecrets(options.request ?? {})
  listingsOf(options.mcpListings ?? [])
  plainCopy('inputMessages', options.inputMessages)
  check(isIterable(source), 'source', 'an iterable of chunks', source)
}
