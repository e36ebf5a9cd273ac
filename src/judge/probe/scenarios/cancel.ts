import { jsonPreview } from '../finding.js'
import { inconclusive, type Scenario, unsupported } from '../scenario.js'

export const cancel: Scenario = {
  name: 'cancel',
  asks: 'POST /responses/{id}/cancel ends a response in the background as cancelled, and the next request is answered.',
  async run(server) {
    const body = { input: 'Write out the numbers from one to one thousand as words.', background: true, store: true }
    const begun = await server.begin('background', body)
    if (begun === undefined) return 'observed'
    if ('refusal' in begun) return unsupported(`a response in the background is refused: ${begun.refusal}`)
    const { id, status } = begun.response
    if (status !== 'queued' && status !== 'in_progress')
      return unsupported('the request to run in the background is ignored')
    if (typeof id !== 'string') return inconclusive('the response has no id to cancel it by')
    const cancelled = await server.stored('cancel', id, 'cancel')
    if (cancelled === undefined) return 'observed'
    if ('refusal' in cancelled) return unsupported(`cancel is refused: ${cancelled.refusal}`)
    if (cancelled.response['status'] === 'completed')
      return inconclusive('the response had ended before it was cancelled')
    const later = await server.stored('cancelled response', id)
    for (const [request, one] of [
      ['cancel', cancelled],
      ['cancelled response', later],
    ] as const) {
      const got = one === undefined ? 'cancelled' : 'refusal' in one ? one.refusal : one.response['status']
      if (got !== 'cancelled')
        server.report(request, {
          rule: 'cancels',
          expected: 'a response with status "cancelled"',
          got: jsonPreview(got),
        })
    }
    await server.answer('request after it', { input: 'Say hello in one short sentence.' })
    return 'observed'
  },
}
