import { CONTENT } from './content.js'
import type { Family } from './family.js'
import { ORDER } from './order.js'
import { VALUES } from './values.js'

export type { Family } from './family.js'

/** Mistakes of servers that are more than one wrong field or event: see `damages.ts` for those. */
export const FAMILIES: readonly Family[] = [...ORDER, ...VALUES, ...CONTENT]
