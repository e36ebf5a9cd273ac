import OpenAI from 'openai'
import OpenAI6 from 'openai-6'
import { lockedMinor } from '../../support/locked-versions.js'
import { API_KEY, type Client, type Limit } from '../play.js'
import { type Item, playTurns, type Turn } from './openai-loop.js'

/**
 * The SDK's `responses.stream()`: it builds the response from the events, and throws at unexpected events.
 */
function openaiStream(name: string, SDK: typeof OpenAI, limits: readonly Limit[]): Client {
  return {
    name,
    profile: 'client:openai',
    play(scenario, baseURL, options) {
      const openai = new SDK({ baseURL, apiKey: API_KEY, maxRetries: 0 })
      return playTurns(scenario, options, async (body, screen) => {
        const stream = openai.responses.stream(body as never, { signal: options.signal })
        for await (const event of stream) {
          if (event.type === 'response.output_text.delta') screen.text(event.item_id, event.delta)
          else if (event.type === 'response.reasoning_text.delta') screen.reasoning('raw', event.delta)
          else if (event.type === 'response.reasoning_summary_text.delta') screen.reasoning('summary', event.delta)
        }
        const { output, status } = await stream.finalResponse()
        return { output: output.map(withoutParsed), ending: status as Turn['ending'] }
      })
    },
    limits,
  }
}

/** Removes the helper's additions, which the API does not accept: parsed arguments and parsed text. */
function withoutParsed(item: object): Item {
  const { parsed_arguments: _, ...rest } = item as Item
  const content = rest['content'] as object[] | undefined
  if (rest.type !== 'message' || content === undefined) return rest
  return { ...rest, content: content.map((part) => ({ ...part, parsed: undefined })) }
}

export const openaiStream7: Client = openaiStream(
  `openai ${lockedMinor('test/clients', 'openai')} stream()`,
  OpenAI,
  [],
)
export const openaiStream6: Client = openaiStream(
  `openai ${lockedMinor('test/clients', 'openai-6')} stream()`,
  OpenAI6 as never,
  [
    {
      scenario: ['shell in a container'],
      what: 'throws at shell calls',
      because: 'it does not know their events, and throws at every event that it does not know; its create() does not',
      shows: {
        text: [],
        hosted: [],
        ending: 'failed',
        error: 'Unhandled response stream event: response.shell_call_command.added',
      },
    },
  ],
)
