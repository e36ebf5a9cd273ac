import type { Fields } from '../../../shared/fields.js'
import { preview } from '../finding.js'
import type { Server } from '../scenario.js'
import type { AnswerContent, ApiReply, ApiServer } from './api-server.js'
import { user } from './messages.js'

/** A question about which models reason. */
export const THINK_FIRST: Fields = user('Is 1001 a prime number? Think first, then answer in one sentence.')

/** Matches models' markers, which belong to no text: those of Harmony, and tags of reasoning. */
export const MARKERS: RegExp = /<\|\w+\|>|<\/?think(ing)?>/

/** Asks for an answer with reasoning, streamed and not, and reports a marker in the text of one. */
export async function reasoningApart<Of extends AnswerContent>(
  { report }: Server,
  api: ApiServer<Of>,
  how: Fields = {},
): Promise<{ readonly streamed: Of & ApiReply; readonly whole: Of & ApiReply }> {
  const body = { ...how, messages: [THINK_FIRST] }
  const streamed = await api.stream('stream', body)
  const whole = await api.answer('answer', body)
  for (const [request, { text }] of Object.entries({ stream: streamed, answer: whole })) {
    const [marker] = MARKERS.exec(text) ?? []
    const expected = 'a text without markers of the model'
    if (marker !== undefined)
      report(request, { rule: 'reasoning-apart', expected, got: `${marker} in ${preview(text)}` })
  }
  return { streamed, whole }
}
