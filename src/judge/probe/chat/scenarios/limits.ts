import { formatKept, lengthKept, stopKept } from '../../conversation/limits.js'
import type { Scenario } from '../../scenario.js'
import { CITY_SCHEMA } from '../../scenarios/json-schema.js'
import { LIMIT } from '../../scenarios/truncation.js'

export const chatJsonSchema: Scenario = {
  name: 'chat-json-schema',
  asks: 'Chat Completions: an answer in a strict JSON schema is JSON, and has the fields of the schema.',
  async run(server) {
    const json_schema = { name: 'city', schema: CITY_SCHEMA, strict: true }
    return formatKept(server, server.chat, { response_format: { type: 'json_schema', json_schema } })
  },
}

export const chatStop: Scenario = {
  name: 'chat-stop',
  asks: 'Chat Completions: a stop string ends the answer before it, streamed and not.',
  run: (server) =>
    stopKept(server, server.chat, {
      field: 'stop',
      endOf: ({ ending }) => ({ finish_reason: ending }),
      stopped: () => ({ finish_reason: 'stop' }),
    }),
}

export const chatLength: Scenario = {
  name: 'chat-length',
  asks: `Chat Completions: a limit of ${LIMIT} tokens ends the answer with finish_reason "length", streamed and not.`,
  run: (server) =>
    lengthKept(server, server.chat, 'finish_reason "length"', { stream_options: { include_usage: true } }),
}
