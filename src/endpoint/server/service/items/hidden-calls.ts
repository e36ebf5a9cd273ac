import type { Batch } from '../../../../core/responses/batch.js'
import type { ResponseStreamEvent } from '../../../../core/responses/events.js'
import type { UnknownTool } from '../../../../core/responses/request.js'
import { closable } from '../../../../shared/closable.js'
import { merged } from '../../../../shared/merged.js'
import { callsOf } from '../../../respond/offered.js'
import type { KeptResponse } from '../../../stores/store.js'
import { isHostedItem } from './hosted-items.js'

type Item = { readonly type: string; readonly approval_request_id?: unknown }

/**
 * Whether an item is hidden from a client: the call of a tool that its request does not declare, which the client
 * cannot handle, unless its user has approved it. Derived from the item and the echoed request, so that it is the same
 * at every reading.
 */
function hides(tools: readonly UnknownTool[]): (item: Item) => boolean {
  const isDeclared = callsOf(tools)
  return (item) => {
    if (!isHostedItem(item) || (item.approval_request_id ?? null) !== null) return false
    return !isDeclared({ ...item, type: item.type.replace(/_output$/, '') })
  }
}

/** Returns a response without the calls of tools that its request does not declare. */
export function withoutHidden<Shown extends Pick<KeptResponse, 'tools' | 'output'>>(response: Shown): Shown {
  const isHidden = hides(response.tools)
  const output = response.output.filter((item) => !isHidden(item))
  return output.length === response.output.length ? response : merged(response, { output })
}

/**
 * Returns a function that leaves out the events of hidden calls of one response, and numbers the others as if there were
 * none. It takes them from the first.
 */
export function createEventFilter(): (event: ResponseStreamEvent) => ResponseStreamEvent | undefined {
  let isHidden = hides([])
  let number = 0
  /** Maps the positions of shown items to those here. */
  const places = new Map<number, number>()

  return (event) => {
    if (event.type === 'response.created') isHidden = hides(event.response.tools)
    if (event.type === 'response.output_item.added' && !isHidden(event.item))
      places.set(event.output_index, places.size)
    const { output_index: at, response } = event as { readonly output_index?: number; readonly response?: KeptResponse }
    const output_index = at === undefined ? undefined : places.get(at)
    if (at !== undefined && output_index === undefined) return undefined
    return merged(event, {
      sequence_number: number++,
      ...(output_index !== undefined && { output_index }),
      ...(response !== undefined && { response: withoutHidden(response) }),
    }) as ResponseStreamEvent
  }
}

/**
 * Streams the events of a response, from its first, without those of hidden calls.
 *
 * @param after - only events with a higher number, as they are numbered here
 */
export function eventsWithoutHidden(events: AsyncGenerator<Batch>, after = -1): AsyncGenerator<Batch> {
  const shown = createEventFilter()

  async function* read(): AsyncGenerator<Batch> {
    for await (const batch of events) {
      const left = batch.flatMap((event) => shown(event) ?? []).filter((event) => event.sequence_number > after)
      if (left.length > 0) yield left
    }
  }
  return closable(read(), async () => {
    await events.return(undefined)
  })
}
