import OpenAI from 'openai'
import { lockedMinor } from '../../support/locked-versions.js'
import { API_KEY, type Client } from '../play.js'
import { type Item, playTurns, type Turn } from './openai-loop.js'

/** The SDK's `create({ stream: true })`, read event by event. */
export const openaiRaw: Client = {
  name: `openai ${lockedMinor('test/clients', 'openai')} create`,
  profile: 'client:openai',
  play(scenario, baseURL, options) {
    const openai = new OpenAI({ baseURL, apiKey: API_KEY, maxRetries: 0 })
    return playTurns(scenario, options, async (body, screen) => {
      const stream = await openai.responses.create({ ...body, stream: true } as never, { signal: options.signal })
      const output: Item[] = []
      // The reader ends without an error when it is aborted.
      let ending: Turn['ending'] = 'aborted'
      for await (const event of stream as unknown as AsyncIterable<OpenAI.Responses.ResponseStreamEvent>) {
        switch (event.type) {
          case 'response.output_text.delta':
            screen.text(event.item_id, event.delta)
            break
          case 'response.reasoning_text.delta':
            screen.reasoning('raw', event.delta)
            break
          case 'response.reasoning_summary_text.delta':
            screen.reasoning('summary', event.delta)
            break
          case 'response.output_item.done':
            output.push(event.item as unknown as Item)
            break
          case 'response.completed':
          case 'response.incomplete':
          case 'response.failed':
            ending = event.response.status as Turn['ending']
        }
      }
      return { output, ending }
    })
  },
  limits: [],
}
