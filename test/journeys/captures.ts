import { readFileSync } from 'node:fs'
import { root } from '../docs/pages.js'

const [event1, event2, event3, event4, ...others] = readFileSync(
  `${root}fixtures/reasoning-answer.events.jsonl`,
  'utf8',
).split('\n')

/** Captures by their names: `good.jsonl`, and `damaged.jsonl`, which lost an event. */
export const CAPTURES: Readonly<Record<'good.jsonl' | 'damaged.jsonl', string>> = {
  'good.jsonl': [event1, event2, event3, event4, ...others].join('\n'),
  'damaged.jsonl': [event1, event2, event3, ...others].join('\n'),
}

/** What each command of the judge ends with for a capture. */
export const VERDICTS = [
  ['good.jsonl', 0],
  ['damaged.jsonl', 1],
  ['missing.jsonl', 2],
] as const
