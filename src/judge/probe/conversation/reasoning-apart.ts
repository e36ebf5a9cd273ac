import { preview } from '../finding.js'
import type { Server } from '../scenario.js'
import type { Said } from './api-server.js'

export const THINK_FIRST = 'Is 1001 a prime number? Think first, then answer in one sentence.'

/** Matches models' markers, which belong to no text: those of Harmony, and tags of reasoning. */
const MARKERS = /<\|\w+\|>|<\/?think(ing)?>/

/** Reports a marker in the text of an answer. */
export function reasoningApart({ report }: Server, request: string, { text }: Said): void {
  const [marker] = MARKERS.exec(text) ?? []
  if (marker === undefined) return
  const expected = 'a text without markers of the model'
  report(request, { rule: 'reasoning-apart', expected, got: `${marker} in ${preview(text)}` })
}
