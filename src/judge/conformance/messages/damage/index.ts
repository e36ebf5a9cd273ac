import { BLOCKS } from './blocks.js'
import type { MessagesFamily } from './event.js'
import { ORDER } from './order.js'
import { VALUES } from './values.js'

export type { MessagesFamily } from './event.js'

/** Mistakes of servers of the Messages API that are more than one wrong field or event. */
export const MESSAGES_FAMILIES: readonly MessagesFamily[] = [...ORDER, ...BLOCKS, ...VALUES]
