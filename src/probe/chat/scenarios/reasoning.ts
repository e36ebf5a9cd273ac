import { preview } from '../../finding.js'
import { inconclusive, type Scenario, type Server } from '../../scenario.js'
import type { ChatReply } from '../chat-server.js'
import { sentBack } from '../message.js'
import { user } from './tools.js'

/** Matches models' markers, which belong to no text: those of Harmony, and tags of reasoning. */
const MARKERS = /<\|\w+\|>|<\/?think(ing)?>/

export const chatReasoning: Scenario = {
  name: 'chat-reasoning',
  asks: 'Chat Completions: reasoning comes apart from the text, streamed and not, and may be sent back.',
  async run(server) {
    const question = user('Is 1001 a prime number? Think first, then answer in one sentence.')
    const streamed = await server.chat.stream('stream', { messages: [question] })
    const whole = await server.chat.answer('answer', { messages: [question] })
    look(server, 'stream', streamed)
    look(server, 'answer', whole)
    if (!streamed.isGood) return 'observed'
    if (streamed.reasoning === '' && whole.reasoning === '')
      return inconclusive('the model did not reason, or it is hidden')
    const back = [question, sentBack(streamed), user('Say that in three words.')]
    const refusal = {
      rule: 'items-go-back',
      expected: "the server's own message, sent back with its reasoning",
    } as const
    await server.chat.stream('sent back', { messages: back }, { refusal })
    return 'observed'
  },
}

function look(server: Server, request: string, { text }: ChatReply): void {
  const [marker] = MARKERS.exec(text) ?? []
  if (marker === undefined) return
  const expected = 'a text without markers of the model'
  server.report(request, { rule: 'reasoning-apart', expected, got: `${marker} in ${preview(text)}` })
}
