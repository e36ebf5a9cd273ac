import { lengthKept } from '../../conversation/limits.js'
import type { Scenario } from '../../scenario.js'
import { LIMIT } from '../../scenarios/truncation.js'

export const messagesLength: Scenario = {
  name: 'messages-length',
  asks: `Messages: a limit of ${LIMIT} tokens ends the answer with stop_reason "max_tokens", streamed and not.`,
  run: (server) => lengthKept(server, server.messages, 'stop_reason "max_tokens"'),
}
