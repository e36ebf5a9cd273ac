import { formatKept, lengthKept, stopKept } from '../../conversation/limits.js'
import type { Scenario } from '../../scenario.js'
import { CITY_SCHEMA } from '../../scenarios/json-schema.js'
import { LIMIT } from '../../scenarios/truncation.js'

export const messagesFormat: Scenario = {
  name: 'messages-format',
  asks: 'Messages: an answer in the JSON schema of output_config.format is JSON, and has the fields of the schema.',
  async run(server) {
    const format = { type: 'json_schema', schema: CITY_SCHEMA }
    return formatKept(server, server.messages, { output_config: { format } })
  },
}

export const messagesStop: Scenario = {
  name: 'messages-stop',
  asks: 'Messages: a stop sequence ends the answer before it, and stop_sequence says which, streamed and not.',
  run: (server) =>
    stopKept(server, server.messages, {
      field: 'stop_sequences',
      endOf: ({ ending, stopSequence }) => ({ stop_reason: ending, stop_sequence: stopSequence }),
      stopped: (stop) => ({ stop_reason: 'stop_sequence', stop_sequence: stop }),
    }),
}

export const messagesLength: Scenario = {
  name: 'messages-length',
  asks: `Messages: a limit of ${LIMIT} tokens ends the answer with stop_reason "max_tokens", streamed and not.`,
  run: (server) => lengthKept(server, server.messages, 'stop_reason "max_tokens"'),
}
