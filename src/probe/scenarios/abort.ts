import type { Scenario } from '../scenario.js'

/** A few of those that come before any text, and one more. */
const ENOUGH = 6

export const abort: Scenario = {
  name: 'abort',
  asks: 'A client that leaves in the middle of a stream harms nobody: the next requests are answered.',
  async run(server) {
    const body = { input: 'Write out the numbers from one to one hundred as words.' }
    const { events } = await server.leave('stream that is left', body, (came) => came.length >= ENOUGH)
    if (events.some(({ type }) => type === 'response.completed')) server.note('the stream was over before it was left')
    // Twice: a server may hear only while it answers the first that the other connection is gone.
    await server.answer('request after it', { input: 'Say hello in one short sentence.' })
    await server.answer('second request after it', { input: 'Say goodbye in one short sentence.' })
    return 'shown'
  },
}
