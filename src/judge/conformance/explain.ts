import type { ResponseStreamEvent } from '../../core/responses/events.js'
import { check } from '../../shared/errors.js'
import type { ChatClient } from './chat/clients/names.js'
import type { Client } from './clients/client.js'
import type { Explanation } from './explanation.js'
import type { Judge } from './judge.js'
import { JUDGES } from './judges.js'
import type { MessagesClient } from './messages/clients/names.js'
import type { StreamEvent } from './stream-event.js'
import { checkList } from './stream-list.js'
import type { StreamChunk } from './violation.js'

export { CLIENTS, type Client } from './clients/client.js'
export type { Explanation } from './explanation.js'

/**
 * Explains how a client reads a stream: what it shows, which calls it runs with which arguments, how it ends, and the
 * first event that breaks it. It uses the model that checks streams under the client's profile, in one pass. Values
 * that are not events are skipped.
 *
 * @throws HarmonyResponsesError `bad_option` if there is no such client, `bad_stream` if there is no list. It never throws because of the stream.
 *
 * @example
 * ```ts
 * import { explain } from 'harmony-responses/conformance'
 *
 * console.log(explain(events, 'langchain').text)
 * ```
 */
export function explain(
  events: Iterable<StreamEvent | ResponseStreamEvent | StreamChunk>,
  client: ExplainedClient,
): Explanation {
  checkList('explain', events)
  const judge = Object.values(JUDGES).find(({ clients }) => clients.includes(client))
  check(judge !== undefined, 'client', `one of ${EXPLAINED.join(', ')}`, client)
  return (judge as Judge).explain(events as Iterable<StreamChunk>, client)
}

/** A client as `explain` names it. */
export type ExplainedClient = Client | `chat:${ChatClient}` | `messages:${MessagesClient}`

const EXPLAINED: readonly string[] = Object.values(JUDGES).flatMap(({ clients }) => clients)
