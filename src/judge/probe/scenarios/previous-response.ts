import { asFields } from '../../conformance/stream-event.js'
import { jsonPreview } from '../finding.js'
import { textIn } from '../items.js'
import { inconclusive, type Scenario, unsupported } from '../scenario.js'

/** Long enough to show in the token count, and nothing that a model would say by chance. */
const WORD = 'heliotrope-mandolin-7319'

export const previousResponse: Scenario = {
  name: 'previous-response',
  asks: 'previous_response_id continues a stored response, or is refused; it is not ignored.',
  async run(server) {
    const first = await server.answer(
      'first',
      { input: `Remember this word: ${WORD}. Answer only: noted.`, store: true },
      { isOptional: true },
    )
    if (first.refusal !== undefined) return unsupported(`store: true is refused: ${first.refusal}`)
    const { id } = first.response
    if (!first.isGood || typeof id !== 'string') return 'observed'

    const question = { input: 'Which word did I ask you to remember?', store: true }
    const second = await server.stream('second', { ...question, previous_response_id: id }, { isOptional: true })
    if (second.refusal !== undefined) return unsupported(`previous_response_id is refused: ${second.refusal}`)
    if (!second.isGood) return 'observed'
    const { previous_response_id: echoed } = second.response
    if (echoed !== id) {
      const expected = `previous_response_id ${jsonPreview(id)} in the response`
      server.report('second', { rule: 'previous-echoed', severity: 'warning', expected, got: jsonPreview(echoed) })
    }
    if (textIn(second.items).includes(WORD)) return 'observed'

    // The model may have forgotten the word, so the length of the prompt decides.
    const alone = await server.answer('second alone', question)
    if (!alone.isGood) return 'observed'
    const [withHistory, without] = [inputTokens(second.response), inputTokens(alone.response)]
    if (withHistory === undefined || without === undefined) {
      return inconclusive('the model does not repeat the word, and the server does not count input tokens')
    }
    if (withHistory <= without) {
      const expected = `more input tokens than the ${without} of the question alone`
      server.report('second', {
        rule: 'previous-used',
        expected,
        got: `${withHistory}: previous_response_id is ignored`,
      })
    }
    return 'observed'
  },
}

function inputTokens(response: object): number | undefined {
  const { input_tokens: tokens } = asFields((response as { usage?: unknown }).usage)
  return typeof tokens === 'number' && tokens > 0 ? tokens : undefined
}
