import { invalidValue } from '../../../../shared/request-error.js'

/** A page of items, in the API's form. */
export interface ItemPage {
  readonly object: 'list'
  /** The items, in the requested order. */
  readonly data: readonly object[]
  /** The id of the first item. Null if there is none. */
  readonly first_id: string | null
  /** The id of the last item, the `after` of the next page. Null if there is none. */
  readonly last_id: string | null
  /** Whether another page follows. */
  readonly has_more: boolean
}

/** Which page of items to list. */
export interface ItemQuery {
  /** The size of the page, 1 to 100. Default 20. */
  readonly limit?: number
  /** Default `desc`: the latest first. */
  readonly order?: 'asc' | 'desc'
  /** The id of the last item on the previous page. */
  readonly after?: string
}

type Item = { readonly id?: unknown }

/**
 * Returns a page of items.
 *
 * @param all - from the first one on, each with an id
 * @param shown - returns an item as it is listed
 * @throws RequestError if no item has the id of `after`
 */
export function pageOf<Listed extends object>(
  all: readonly Listed[],
  { limit = 20, order = 'desc', after }: ItemQuery,
  shown: (item: Listed) => object,
): ItemPage {
  const items = order === 'asc' ? all : all.toReversed()
  const from = after === undefined ? 0 : items.findIndex((item) => (item as Item).id === after) + 1
  if (after !== undefined && from === 0) throw invalidValue('after', after)
  return listOf(items.slice(from, from + limit).map(shown), from + limit < items.length)
}

/** Returns items in the API's form of a list. */
export function listOf(data: readonly object[], hasMore: boolean): ItemPage {
  const [first, last] = [data[0], data.at(-1)] as readonly ({ readonly id: string } | undefined)[]
  return { object: 'list', data, first_id: first?.id ?? null, last_id: last?.id ?? null, has_more: hasMore }
}
