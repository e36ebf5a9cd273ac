import type { ResponseStreamEvent } from './events.js'

/** The events of one step, oldest first. They are shown together. @inline */
export type Batch = readonly ResponseStreamEvent[]
