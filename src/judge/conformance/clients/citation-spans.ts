import { asFields, asList, type StreamEvent } from '../stream-event.js'
import type { EventRef } from './votes.js'

/** A citation that stands at another place in its event than where the part is done. */
export interface MovedCitation {
  readonly expected: string
  readonly got: string
  /** The event that added it. */
  readonly at: EventRef
}

/** Values that are neither an id nor an index, as any JSON may contain, belong to no item. */
function keyOf(item: unknown, part: unknown): string {
  return `${typeof item === 'string' ? item : ''} ${typeof part === 'number' ? part : ''}`
}

interface Added {
  readonly span: string
  readonly at: EventRef
}

/**
 * The spans of citations, as their events have them, beside those of the done part and the done item. Where these two agree,
 * and the event does not, the event is wrong.
 */
export class CitationSpans {
  /** By item and part, while the item is open. */
  readonly #added = new Map<string, Added[]>()
  readonly #parts = new Map<string, readonly string[]>()

  added({ item_id, content_index, annotation }: StreamEvent, at: EventRef): void {
    const key = keyOf(item_id, content_index)
    const list = this.#added.get(key) ?? []
    this.#added.set(key, list)
    list.push({ span: spanOf(annotation), at })
  }

  /**
   * Takes an event that ends a part or an item. Returns the first citation of an item that has another span elsewhere.
   */
  closed({ type, item_id, content_index, part, item }: StreamEvent): MovedCitation | undefined {
    if (this.#added.size === 0) return undefined
    if (type === 'response.content_part.done') {
      this.#parts.set(keyOf(item_id, content_index), spansIn(part))
      return undefined
    }
    if (type !== 'response.output_item.done') return undefined
    const { id, content } = asFields(item)
    let moved: MovedCitation | undefined
    for (const [index, one] of asList(content).entries()) {
      const key = keyOf(id, index)
      const [spans, others, added = []] = [spansIn(one), this.#parts.get(key), this.#added.get(key)]
      this.#added.delete(key)
      this.#parts.delete(key)
      if (added.length !== spans.length || spans.join() !== others?.join()) continue
      const at = added.findIndex(({ span }, number) => span !== spans[number])
      const wrong = added[at]
      if (wrong !== undefined) moved ??= { expected: spans[at] as string, got: wrong.span, at: wrong.at }
    }
    return moved
  }
}

const spansIn = (part: unknown): readonly string[] => asList(asFields(part)['annotations']).map(spanOf)

function spanOf(annotation: unknown): string {
  const { start_index: start, end_index: end } = asFields(annotation)
  return `${JSON.stringify(start) ?? 'none'} to ${JSON.stringify(end) ?? 'none'}`
}
