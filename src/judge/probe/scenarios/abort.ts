import type { Scenario } from '../scenario.js'

/** How many events to read: those that usually come before any text, and one more. */
const ENOUGH = 6

export const abort: Scenario = {
  name: 'abort',
  asks: 'After a client has left a stream in the middle, the next requests are still answered.',
  async run(server) {
    const body = { input: 'Write out the numbers from one to one hundred as words.' }
    const { events } = await server.leave('stream that is left', body, (came) => came.length >= ENOUGH)
    if (events.some(({ type }) => type === 'response.completed')) server.note('the stream was over before it was left')
    // Twice: a server may notice the closed connection only while it answers the first request.
    await server.answer('request after it', { input: 'Say hello in one short sentence.' })
    await server.answer('second request after it', { input: 'Say goodbye in one short sentence.' })
    return 'observed'
  },
}
