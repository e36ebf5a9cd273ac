import { asFields, asList, asString } from '../../conformance/stream-event.js'
import { MARKERS } from '../conversation/reasoning-apart.js'
import { jsonPreview, preview } from '../finding.js'
import { textIn, userMessage } from '../items.js'
import { inconclusive, type Scenario, unsupported } from '../scenario.js'
import { ITEMS_SENT_BACK } from './call.js'
import { INCLUDE } from './tools.js'

const QUESTION = `A farmer has hens, goats and cows: 30 heads and 90 legs together, more goats than cows, and at least three of each.
Find all possibilities, verify each, and then say how many there are.`

/** Enough for long reasoning and the answer. */
const MAX_TOKENS = 8192

export const longReasoning: Scenario = {
  name: 'long-reasoning',
  asks: 'Much reasoning comes in items of its own, is counted as reasoning tokens, and goes back with the next question.',
  async run(server) {
    const input = [userMessage(QUESTION)]
    const body = { reasoning: { effort: 'high' }, include: INCLUDE, input }
    const long = await server.stream('request', { ...body, max_output_tokens: MAX_TOKENS }, { isOptional: true })
    // A server with a shorter context refuses so many tokens.
    const answer = long.refusal === undefined ? long : await server.stream('request', body, { isOptional: true })
    const { isGood, refusal, items, response } = answer
    if (refusal !== undefined) return unsupported(`reasoning.effort "high" is refused: ${refusal}`)
    if (!isGood) return 'observed'
    const text = textIn(items)
    const [marker] = MARKERS.exec(text) ?? []
    if (marker !== undefined) {
      const expected = 'a text without markers of the model'
      server.report('request', { rule: 'reasoning-apart', expected, got: `${marker} in ${preview(text)}` })
    }
    const thoughts = items.filter(({ type }) => type === 'reasoning')
    const shown = thoughts.flatMap(({ content, summary }) => [...asList(content), ...asList(summary)].map(asFields))
    if (thoughts.length === 0) return inconclusive('the model did not reason, or it is hidden')
    const { output_tokens: all, output_tokens_details: details } = asFields(response['usage'])
    const { reasoning_tokens: counted } = asFields(details)
    const isShown = shown.some((part) => asString(part['text']) !== '')
    if (isShown && typeof counted === 'number' && (counted === 0 || (typeof all === 'number' && counted > all))) {
      const expected = `reasoning_tokens from 1 to output_tokens (${jsonPreview(all)})`
      server.report('request', { rule: 'reasoning-counted', expected, got: jsonPreview(counted) })
    }
    if (response['status'] === 'incomplete') return inconclusive('the limit of tokens ended the answer')
    const next = [...input, ...items, userMessage('How many possibilities did you find? Answer with the number.')]
    await server.stream('next question', { include: INCLUDE, input: next }, ITEMS_SENT_BACK)
    return 'observed'
  },
}
