import { describe, expect, test } from 'vitest'
import { openResponses } from '../../../src/dialects/index.js'
import { checkEvents } from '../../../src/judge/conformance/index.js'
import { answer, scriptedEngine } from '../../../src/testing/index.js'
import { publishedProblems } from '../../judge/conformance/schemas/published.js'
import { type CapturedRequest, capturedRequests, describeWithShared } from '../../support/shared-data.js'
import { type Json, list } from './recorded/obedient-model.js'
import { type Replayed, refusalIn, replay } from './recorded/replay.js'
import { connect, serve } from './web-socket/sockets.js'

const AS_ASKED = { dialect: openResponses, done: true, response: { images: 'placeholder' } } as const

/** The outcome of the specification suite's requests, and of additional ones. All others are answered. */
const EXPECTED: Readonly<Record<string, string>> = {
  'openresponses-01': 'completed: reasoning, message',
  'openresponses-02': 'completed: reasoning, message',
  'openresponses-03': 'completed: reasoning, message',
  'openresponses-04': 'response.compaction: compaction',
  'openresponses-05': 'completed: reasoning, message',
  'openresponses-06': 'completed: reasoning, function_call',
  'openresponses-07': 'completed: reasoning, message',
  'openresponses-08': 'completed: reasoning, message',
  'openresponses-09': 'response.compaction: compaction',
  'openresponses-10': '400 model missing_required_parameter',
  'openresponses-extra-01': 'completed: reasoning, function_call',
  'openresponses-extra-07': 'completed: reasoning, function_call',
  'openresponses-extra-08': 'completed: reasoning, message',
  'openresponses.ws-07': '400 previous_response_id previous_response_not_found',
  'openresponses.ws-09': '400 input[0].call_id invalid_request_error',
  'openresponses.ws-10': '400 previous_response_id previous_response_not_found',
}

/** The suite's requests over one connection each that do not depend on an earlier answer. */
const CONNECTIONS: readonly (readonly string[])[] = [['01'], ['02', '05'], ['03', '06'], ['07'], ['08', '09', '10']]

/** In the words of the table above. */
function brief(replayed: Replayed): string {
  const { status, body } = replayed
  if (status !== 200) return refusalIn(replayed)
  const types = (list(body['output']) as Json[]).map(({ type }) => type).join(', ')
  return `${body['status'] ?? body['object']}: ${types}`
}

const requestsOf = (name: string): CapturedRequest[] =>
  capturedRequests().filter((request) => request.name.replace(/-\d+$/, '') === name)

const requestNamed = (name: string): CapturedRequest =>
  capturedRequests().find((request) => request.name === name) ?? expect.unreachable(name)

describeWithShared('what clients of Open Responses sent', () => {
  const problemsOf = publishedProblems()

  /** The errors that the published schemas and our judge find in the output. */
  function faultsIn({ status, body, events = [] }: Replayed): unknown[] {
    const answers = status === 200 || body['type'] === 'error' ? [body] : []
    const judged = events.length === 0 ? [] : checkEvents(events as never, { profile: 'open-responses' })
    const problems = [...answers, ...events].flatMap(problemsOf)
    return [...problems.filter((problem) => !isOversight(problem)), ...judged.filter(({ fault }) => fault === 'server')]
  }

  const suites = ['openresponses', 'openresponses-extra']
  const clients = [...new Set(capturedRequests().map(({ name }) => name.replace(/-\d+$/, '')))].filter((name) =>
    name.startsWith('openresponses-aisdk'),
  )

  test.each([...suites, ...clients])('%s is answered as the specification says', async (name) => {
    const { answers, errors } = await replay(requestsOf(name), AS_ASKED)
    expect(answers.map((one) => [one.name, faultsIn(one)])).toEqual(answers.map((one) => [one.name, []]))
    expect(answers.map((one) => [one.name, brief(one)])).toEqual(
      answers.map((one) => [one.name, EXPECTED[one.name] ?? expect.stringMatching(/^completed: reasoning, /)]),
    )
    expect(errors).toEqual([])
  })

  test.each(CONNECTIONS)(
    'a connection that sent %s %s %s is answered as the specification says',
    async (...numbers) => {
      const names = numbers.filter((number) => number !== undefined).map((number) => `openresponses.ws-${number}`)
      const { answers, errors } = await replay(names.map(requestNamed), AS_ASKED)
      expect(answers.flatMap(faultsIn)).toEqual([])
      expect(answers.map((one) => [one.name, brief(one)])).toEqual(
        answers.map((one) => [one.name, EXPECTED[one.name] ?? 'completed: reasoning, message']),
      )
      expect(errors).toEqual([])
    },
  )

  test('a response that is not stored is gone with its connection', async () => {
    const server = await serve({ engine: scriptedEngine(() => answer('OK.')), ...AS_ASKED })
    const first = await connect(server)
    first.send(requestNamed('openresponses.ws-04').body)
    const { response } = (await first.answer()).at(-1) as unknown as { response: { id: string } }
    const again = await connect(server)
    again.send({ ...requestNamed('openresponses.ws-12').body, previous_response_id: response.id })
    const [error] = await again.answer()
    expect(error).toMatchObject({ type: 'error', status: 400, error: { code: 'previous_response_not_found' } })
    expect(problemsOf(error)).toEqual([])
  })

  test('a conversation continues from its compaction', async () => {
    const engine = scriptedEngine(() => answer('The code word is slate.'))
    const server = await serve({ engine, ...AS_ASKED })
    const body = JSON.stringify(requestNamed('openresponses-04').body)
    const compacted = await (await fetch(`${server.url}/v1/responses/compact`, { method: 'POST', body })).json()
    const { output } = compacted as { output: readonly object[] }
    const socket = await connect(server)
    const sent = requestNamed('openresponses.ws-11').body as { input: readonly object[] }
    socket.send({ ...sent, input: [...output, sent.input.at(-1)] })
    const frames = await socket.answer()
    expect(frames.flatMap(problemsOf)).toEqual([])
    expect(frames.at(-1)).toMatchObject({ type: 'response.completed', response: { status: 'completed' } })
    expect(engine.calls.at(-1)?.messages.some(({ content }) => content.includes('slate'))).toBe(true)
  })
})

/** The published schema allows only null for the schema of a format, which the echo contains. */
const isOversight = (problem: string): boolean => /\/text\/format(\/schema|\/type)? /.test(problem)

describe('the end of a stream', () => {
  test.each([true, false])('a stream ends with [DONE] if done is %s', async (done) => {
    const server = await serve({ engine: scriptedEngine(() => answer('OK.')), done })
    const body = JSON.stringify({ model: 'gpt-oss', input: 'Hi', stream: true })
    const text = await (await fetch(`${server.url}/v1/responses`, { method: 'POST', body })).text()
    expect(text.endsWith('data: [DONE]\n\n')).toBe(done)
  })
})
