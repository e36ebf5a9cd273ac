import { CALLS } from './calls.js'
import type { ChatFamily } from './chunk.js'
import { ORDER } from './order.js'
import { VALUES } from './values.js'

export type { ChatFamily } from './chunk.js'

/** Mistakes of servers of Chat Completions that are more than one wrong field or chunk. */
export const CHAT_FAMILIES: readonly ChatFamily[] = [...ORDER, ...CALLS, ...VALUES]
