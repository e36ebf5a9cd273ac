import { CLIENT_INVARIANTS } from '../clients/index.js'
import type { Invariant } from '../invariant.js'
import { CALLS } from './calls.js'
import { FRAMING } from './framing.js'
import { ITEMS } from './items.js'
import { LIFECYCLE } from './lifecycle.js'
import { PARTS } from './parts.js'
import { TERMINAL_OUTPUT } from './terminal-output.js'
import { WIRE } from './wire.js'

/** All rules that a correct stream follows: framing and events first, then the response, its items, and the clients. */
export const INVARIANTS: readonly Invariant[] = [
  ...WIRE,
  ...FRAMING,
  ...LIFECYCLE,
  ...ITEMS,
  ...TERMINAL_OUTPUT,
  ...PARTS,
  ...CALLS,
  ...CLIENT_INVARIANTS,
]
