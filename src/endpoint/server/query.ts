import type { Context } from 'hono'
import { invalidType, invalidValue, outOfRange } from '../../shared/request-error.js'
import type { ItemQuery } from './service/items/page.js'

/** Reads which page of items is requested. @throws RequestError */
export function pageQueryOf(context: Context): ItemQuery {
  const { after } = context.req.query()
  const order = orderOf(context.req.query('order'))
  const limit = wholeNumberOf(context, 'limit', 1, 100)
  return { ...(limit !== undefined && { limit }), ...(order && { order }), ...(after && { after }) }
}

function orderOf(order: string | undefined): 'asc' | 'desc' | undefined {
  if (order === undefined || order === 'asc' || order === 'desc') return order
  throw invalidValue('order', order, ['asc', 'desc'])
}

/** @throws RequestError for anything but `true` and `false` */
export function flagOf(context: Context, name: string): boolean {
  const value = context.req.query(name)
  if (value === undefined || value === 'true' || value === 'false') return value === 'true'
  throw invalidValue(name, value, ['true', 'false'])
}

/** @throws RequestError for anything but a number between these */
export function wholeNumberOf(context: Context, name: string, min: number, max: number): number | undefined {
  const text = context.req.query(name)
  if (text === undefined) return undefined
  const value = Number(text)
  if (!/^-?\d+$/.test(text)) throw invalidType(name, 'an integer', text)
  if (value < min) throw outOfRange(name, 'integer', { min }, value)
  if (value > max) throw outOfRange(name, 'integer', { max }, value)
  return value
}
