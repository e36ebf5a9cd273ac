import type { Entry } from '../journal/entry.js'

/** An entry before its time is known. */
export type Happened = Entry extends infer Each ? (Each extends Entry ? Omit<Each, 'at'> : never) : never
