import type { ResponseStreamEvent, ServedStreamEvent } from '../core/responses/events.js'
import type { OutputItem, UrlCitation } from '../core/responses/items.js'
import type { Response } from '../core/responses/response.js'

/* Shared by APIs whose answers are built from a response's events but do not contain them. */

/** Events as `translate`, `translateBatches` and `decodeSse` yield them. @inline */
export type Events = ServedStreamEvent | readonly ServedStreamEvent[]

/** Returns the response that an event ends without an answer: one that failed or was cancelled. */
export function unansweredIn(event: ResponseStreamEvent): Response | undefined {
  if (event.type === 'response.failed') return event.response
  return event.type === 'response.incomplete' && event.response.status === 'cancelled' ? event.response : undefined
}

/** Whether it is a citation of a page at a place in the text. A host's own message may have others. */
export function isUrlCitation(annotation: { readonly type: string }): annotation is UrlCitation {
  const { start_index, end_index } = annotation as Partial<UrlCitation>
  return annotation.type === 'url_citation' && [start_index, end_index].every(Number.isInteger)
}

/** Maps the events of a stream in order, without keep-alives: these APIs have their own. */
export async function* encodeAll<Encoded>(
  events: AsyncIterable<Events> | Iterable<Events>,
  encode: (event: ResponseStreamEvent) => readonly Encoded[],
): AsyncGenerator<Encoded, void> {
  for await (const given of events) {
    for (const event of isBatch(given) ? given : [given]) if (event?.type !== 'keepalive') yield* encode(event)
  }
}

function isBatch(events: Events): events is readonly ServedStreamEvent[] {
  return Array.isArray(events)
}

/** Facts that the deltas of an item lack: whether its text is a preamble, and which form of its reasoning is shown. */
export class ShownItems {
  readonly #forms = new Map<number, string>()
  readonly #preambles = new Set<number>()

  /** @param at - the item's position in the output */
  added(at: number, item: OutputItem): void {
    if (item.type === 'message' && item.phase === 'commentary') this.#preambles.add(at)
  }

  isPreamble(at: number): boolean {
    return this.#preambles.has(at)
  }

  /** Whether reasoning has the form that its item sent first: the other form repeats the same text. */
  isShown(at: number, form: string): boolean {
    if (!this.#forms.has(at)) this.#forms.set(at, form)
    return this.#forms.get(at) === form
  }
}
