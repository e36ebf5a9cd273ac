import { check, isIterable } from '../../shared/errors.js'
import { plainCopy } from '../../shared/plain-copy.js'
import { listingsOf } from '../options/mcp-listing.js'
import { checkOptions, type TranslateOptions } from '../options/options.js'
import { withConversationTools } from '../recipients/conversation-tools.js'
import { withoutSecrets } from '../response-object/without-secrets.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import type { Response } from '../responses/response.js'
import type { TokenSource } from '../tokens/token-source.js'
import type { TokenTable } from '../tokens/token-table.js'
import { type Catalog, readTools } from './catalog.js'
import { pull } from './pull.js'

/**
 * Pulls a source through a `Translator`: the events of each chunk as one array, never empty. The source is read only as
 * fast as batches are taken. It is closed at the end, on abort, and when the consumer stops: at once, even while its
 * next chunk is pending.
 *
 * A source that throws ends the stream with `error` and `response.failed`; the generator itself does not throw.
 * `clientFailure` determines which part of the error the client sees.
 *
 * @param loadTokenTable - called if the options contain no token table
 * @returns after the terminal event, the response
 * @throws HarmonyResponsesError `bad_option`, from the call itself
 */
export function translateBatches(
  source: TokenSource,
  options: TranslateOptions,
  catalog: Catalog,
  loadTokenTable?: () => Promise<TokenTable>,
): AsyncGenerator<ResponseStreamEvent[], Response> {
  checkPull(source, options, catalog)
  return pull(source, options, catalog, loadTokenTable, (events) => [events])
}

/** Does the same, an event at a time. */
export function translateEvents(
  source: TokenSource,
  options: TranslateOptions,
  catalog: Catalog,
  loadTokenTable?: () => Promise<TokenTable>,
): AsyncGenerator<ResponseStreamEvent, Response> {
  checkPull(source, options, catalog)
  return pull(source, options, catalog, loadTokenTable, (events) => events)
}

/** Reports all mistakes at once that the translator would report, because that is created only at the first read. */
function checkPull(source: TokenSource, options: TranslateOptions, catalog: Catalog): void {
  checkOptions(options)
  const { request = {} } = options
  readTools(catalog, withConversationTools(request).request, [], options)
  withoutSecrets(request, catalog.fields)
  listingsOf(options.mcpListings ?? [])
  plainCopy('inputMessages', options.inputMessages)
  check(isIterable(source), 'source', 'an iterable of chunks', source)
}
