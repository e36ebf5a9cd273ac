import type { Fields } from '../../conformance/stream-event.js'
import { shortened } from '../finding.js'
import { readRefusal } from '../judge-answer.js'
import type { Scenario, Server } from '../scenario.js'

/** A request that is wrong, and how wrong it is to take it. */
interface BadRequest {
  readonly request: string
  readonly body: string | Fields
  /** What it means where the server takes it. */
  readonly ifTaken: 'error' | 'warning' | 'fine'
}

export const malformedJson: Scenario = refusing('malformed-json', 'A body that is no JSON is refused.', [
  { request: 'cut body', body: '{"model": "x", "input": "Say hel', ifTaken: 'error' },
])

export const missingInput: Scenario = refusing(
  'missing-input',
  'A request without any input is refused, streamed or not.',
  [
    { request: 'answer', body: {}, ifTaken: 'error' },
    { request: 'stream', body: { stream: true }, ifTaken: 'error' },
  ],
)

export const wrongTypes: Scenario = refusing('wrong-types', 'Fields of wrong types are refused.', [
  { request: 'input: 5', body: { input: 5 }, ifTaken: 'error' },
  { request: 'items without a type', body: { input: [{ no: 'item' }] }, ifTaken: 'error' },
  { request: 'tools: "x"', body: { input: 'Say hello.', tools: 'x' }, ifTaken: 'warning' },
  {
    request: 'max_output_tokens: "many"',
    body: { input: 'Say hello.', max_output_tokens: 'many' },
    ifTaken: 'warning',
  },
])

export const unknownModel: Scenario = refusing(
  'unknown-model',
  'A model that does not exist is refused, or another one answers: either is fine.',
  [
    {
      request: 'answer',
      body: { input: 'Say hello.', model: 'no-such-model' },
      ifTaken: 'fine',
    },
  ],
)

export const unknownPrevious: Scenario = refusing(
  'unknown-previous',
  'A previous_response_id that does not exist is refused, not ignored.',
  [
    {
      request: 'answer',
      body: { input: 'Go on.', previous_response_id: `resp_${'0'.repeat(48)}` },
      ifTaken: 'error',
    },
  ],
)

/** Requests that have to be answered with a status from 400 to 499, and an error in OpenAI's form. */
function refusing(name: string, asks: string, requests: readonly BadRequest[]): Scenario {
  return {
    name,
    asks,
    async run(server) {
      for (const each of requests) await refuse(server, each)
      return 'shown'
    },
  }
}

async function refuse(server: Server, { request, body, ifTaken }: BadRequest): Promise<void> {
  const text =
    typeof body === 'string'
      ? body
      : JSON.stringify({ model: server.model, max_output_tokens: 64, store: false, ...body })
  const reply = await server.post(request, text)
  if (reply === undefined) return
  const { status, contentType } = reply
  if (status >= 400 && status < 500) {
    const { faults } = readRefusal(contentType, reply.text)
    for (const fault of faults) server.tell(request, fault)
    return
  }
  if (status === 200 && ifTaken === 'fine') return
  const expected = 'a status from 400 to 499'
  const got = `${status}: ${status < 500 ? shortened(reply.text) : readRefusal(contentType, reply.text).message}`
  server.tell(request, {
    rule: 'refuses',
    severity: status === 200 && ifTaken === 'warning' ? 'warning' : 'error',
    expected,
    got,
  })
}
