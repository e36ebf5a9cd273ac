import { CHAT_CLIENT_INVARIANTS } from '../clients/index.js'
import type { ChatInvariant } from '../invariant.js'
import { CALLS } from './calls.js'
import { CHOICES } from './choices.js'
import { FRAMING } from './framing.js'
import { USAGE } from './usage.js'
import { WIRE } from './wire.js'

/** All rules that a correct stream of Chat Completions follows: chunks first, then choices, calls and the end, then those of clients. */
export const CHAT_INVARIANTS: readonly ChatInvariant[] = [
  ...WIRE,
  ...CHOICES,
  ...CALLS,
  ...USAGE,
  ...FRAMING,
  ...CHAT_CLIENT_INVARIANTS,
]
