import { check, isIterable } from '../../shared/errors.js'
import { plainCopy } from '../../shared/plain-copy.js'
import { checkTranslateOptions } from '../options/check-translate-options.js'
import { listingsOf } from '../options/mcp-listing.js'
import type { TranslateOptions } from '../options/options.js'
import { withConversationTools } from '../recipients/conversation-tools.js'
import { withoutSecrets } from '../response-object/without-secrets.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import type { Response } from '../responses/response.js'
import type { TokenSource } from '../tokens/token-source.js'
import type { TokenTable } from '../tokens/token-table.js'
import { pull } from './pull.js'
import { resolveToolsOf } from './resolve-tools.js'

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
  loadTokenTable?: () => Promise<TokenTable>,
): AsyncGenerator<ResponseStreamEvent[], Response> {
  checkPull('translateBatches', source, options)
  return pull(source, options, loadTokenTable, (events) => [events])
}

/** Does the same, an event at a time. */
export function translateEvents(
  source: TokenSource,
  options: TranslateOptions,
  loadTokenTable?: () => Promise<TokenTable>,
): AsyncGenerator<ResponseStreamEvent, Response> {
  checkPull('translate', source, options)
  return pull(source, options, loadTokenTable, (events) => events)
}

/** Reports all mistakes at once that the translator would report, because that is created only at the first read. */
function checkPull(where: string, source: TokenSource, options: TranslateOptions): void {
  checkTranslateOptions(where, options)
  const { request = {} } = options
  resolveToolsOf(withConversationTools(request).request, [], options)
  withoutSecrets(request)
  listingsOf(options.mcpListings ?? [])
  plainCopy('inputMessages', options.inputMessages)
  check(isIterable(source), 'source', 'an iterable of chunks', source)
}
