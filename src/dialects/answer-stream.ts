import type { ResponseStreamEvent } from '../responses/events.js'
import type { OutputItem } from '../responses/items.js'

/*
 * What the APIs have in common whose answers are made of a response's events, and are no events of it.
 */

/** As `translate` and `translateBatches` yield them. */
export type Events = ResponseStreamEvent | readonly ResponseStreamEvent[]

/** Maps the events of a stream in order, each to what it becomes. */
export async function* encodeAll<Encoded>(
  events: AsyncIterable<Events> | Iterable<Events>,
  encode: (event: ResponseStreamEvent) => readonly Encoded[],
): AsyncGenerator<Encoded, void> {
  for await (const given of events) {
    for (const event of isBatch(given) ? given : [given]) yield* encode(event)
  }
}

function isBatch(events: Events): events is readonly ResponseStreamEvent[] {
  return Array.isArray(events)
}

/** What the deltas of an item do not say: whether its text is a preamble, and which form of its reasoning is shown. */
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

  /** Whether a piece of reasoning is of the form that its item has sent first: the other one says the same again. */
  isShown(at: number, form: string): boolean {
    if (!this.#forms.has(at)) this.#forms.set(at, form)
    return this.#forms.get(at) === form
  }
}
