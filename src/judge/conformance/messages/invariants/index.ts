import { MESSAGES_CLIENT_INVARIANTS } from '../clients/index.js'
import type { MessagesInvariant } from '../invariant.js'
import { BLOCKS } from './blocks.js'
import { END } from './end.js'
import { FRAMING } from './framing.js'
import { ORDER } from './order.js'
import { WIRE } from './wire.js'

/** All rules that a correct stream of the Messages API follows. */
export const MESSAGES_INVARIANTS: readonly MessagesInvariant[] = [
  ...WIRE,
  ...ORDER,
  ...BLOCKS,
  ...END,
  ...FRAMING,
  ...MESSAGES_CLIENT_INVARIANTS,
]
