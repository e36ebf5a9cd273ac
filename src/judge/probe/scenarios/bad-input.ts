import type { Fields } from '../../../shared/fields.js'
import { preview } from '../finding.js'
import { readRefusal } from '../judge-answer.js'
import type { Scenario, Server } from '../scenario.js'
import type { Reply } from '../send.js'

/** A wrong request: its name, its body, and how to judge a server that accepts it. */
export type BadRequest = readonly [request: string, body: string | Fields, ifAccepted: 'error' | 'warning' | 'fine']

export const malformedJson: Scenario = refusing('malformed-json', 'A body that is not valid JSON is refused.', [
  ['cut body', '{"model": "x", "input": "Say hel', 'error'],
])

export const missingInput: Scenario = refusing(
  'missing-input',
  'A request without any input is refused, streamed or not.',
  [
    ['answer', {}, 'error'],
    ['stream', { stream: true }, 'error'],
  ],
)

export const wrongTypes: Scenario = refusing('wrong-types', 'Fields of wrong types are refused.', [
  ['input: 5', { input: 5 }, 'error'],
  ['items without a type', { input: [{ no: 'item' }] }, 'error'],
  ['tools: "x"', { input: 'Say hello.', tools: 'x' }, 'warning'],
  ['max_output_tokens: "many"', { input: 'Say hello.', max_output_tokens: 'many' }, 'warning'],
])

export const unknownModel: Scenario = refusing(
  'unknown-model',
  'A model that does not exist is refused, or another one answers: either is fine.',
  [['answer', { input: 'Say hello.', model: 'no-such-model' }, 'fine']],
)

export const unknownPrevious: Scenario = refusing(
  'unknown-previous',
  'A previous_response_id that does not exist is refused, not ignored.',
  [['answer', { input: 'Go on.', previous_response_id: `resp_${'0'.repeat(48)}` }, 'error']],
)

/** A scenario of requests that must get a status from 400 to 499, and an error body in OpenAI's format. */
function refusing(name: string, asks: string, requests: readonly BadRequest[]): Scenario {
  return {
    name,
    asks,
    async run(server) {
      const bodyOf = (body: Fields): string =>
        JSON.stringify({ model: server.model, max_output_tokens: 64, store: false, ...body })
      await refuseAll(server, requests, bodyOf, server.post)
      return 'observed'
    },
  }
}

/** Sends wrong requests, and judges how each is refused. */
export async function refuseAll(
  server: Server,
  requests: readonly BadRequest[],
  bodyOf: (body: Fields) => string,
  post: Server['post'],
  read: typeof readRefusal = readRefusal,
): Promise<void> {
  for (const [request, body, ifAccepted] of requests) {
    const reply = await post(request, typeof body === 'string' ? body : bodyOf(body))
    if (reply !== undefined) refuse(server, request, ifAccepted, reply, read)
  }
}

function refuse(
  server: Server,
  request: string,
  ifAccepted: BadRequest[2],
  reply: Reply,
  read: typeof readRefusal,
): void {
  const { status, contentType } = reply
  if (status >= 400 && status < 500) {
    const { faults } = read(contentType, reply.text)
    for (const fault of faults) server.report(request, fault)
    return
  }
  if (status === 200 && ifAccepted === 'fine') return
  const expected = 'a status from 400 to 499'
  const got = `${status}: ${status < 500 ? preview(reply.text) : read(contentType, reply.text).message}`
  server.report(request, {
    rule: 'refuses',
    severity: status === 200 && ifAccepted === 'warning' ? 'warning' : 'error',
    expected,
    got,
  })
}
