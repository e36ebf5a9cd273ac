import { expect, test } from 'vitest'
import { checkEvents, type Profile } from '../../../../src/judge/conformance/index.js'
import { type CapturedRequest, capturedRequests, describeWithShared } from '../../../support/shared-data.js'
import { type Replayed, refusalIn, replay } from './replay.js'

/** The refused requests: status, parameter, code. */
const REFUSED: Readonly<Record<string, string>> = {
  // gpt-oss sees neither images nor files.
  'ai-sdk-openai.image-01': '400 input[0].content[1] unsupported_value',
  'openresponses-07': '400 input[0].content[1] unsupported_value',
  'openresponses-aisdk.image-01': '400 input[0].content[1] unsupported_value',
  'openresponses-extra-06': '400 input[0].content[1] unsupported_value',
  // Requests that clients sent to test refusals.
  'openai-js-ws.plain.ws-03': '400 previous_response_id previous_response_not_found',
  'openai-js.bad-01': '400 temperature decimal_above_max_value',
  'openai-js.bad-02': '400 top_logprobs integer_above_max_value',
  'openai-js.bad-03': '400 tools[0].name missing_required_parameter',
  'openai-js.bad-04': '400 previous_response_id previous_response_not_found',
  'openresponses-10': '400 model missing_required_parameter',
}

/** The most tokens that the engine reads again in a continued conversation. */
const READ_AGAIN: Readonly<Record<string, number>> = {
  // It sends calls back without ids, and no reasoning.
  'cline-02': 39,
  // A held body ends its turn with `<|return|>`, also where the recorded model went on with a second call: as a part of the
  // conversation it is `<|end|>`.
  'openresponses-aisdk.tool-08': 1,
}

/** Whose streams a client's own profile is there for. */
const PROFILES: readonly (readonly [client: RegExp, profile: Profile])[] = [
  [/^agents/, 'client:openai-agents'],
  [/^(ai-sdk|openresponses-aisdk|opencode|mastra)/, 'client:ai-sdk'],
  [/^codex/, 'client:codex'],
  [/^(openai-js|tanstack)/, 'client:openai'],
]

/** One client each, in one scenario: later requests continue earlier ones of the same sequence. */
function sequences(): Map<string, CapturedRequest[]> {
  const all = new Map<string, CapturedRequest[]>()
  for (const request of capturedRequests()) {
    const name = request.name.replace(/-\d+$/, '')
    all.set(name, [...(all.get(name) ?? []), request])
  }
  return all
}

/** The judge's findings in a stream, by the general profile and by its client's. */
function faultsIn({ name, events = [] }: Replayed): unknown[] {
  if (events.length === 0 || events[0]?.['type'] === undefined) return []
  const [, profile] = PROFILES.find(([client]) => client.test(name)) ?? []
  const forClient = profile === undefined ? [] : checkEvents(events as never, { profile })
  // Reasoning and a preamble, which is reasoning, too.
  const isJson = /"format":\{[^{}]*"type":"json_/.test(JSON.stringify(events[0]))
  const faults = checkEvents(events as never).filter(({ rule }) => !isJson || rule !== 'reasoning-not-adjacent')
  return [...faults, ...forClient.filter(({ severity }) => severity === 'error')]
}

describeWithShared('what real clients sent, sent to the endpoint', () => {
  const all = sequences()

  test('real clients sent 280 requests at least', () => {
    expect([...all.values()].flat().length).toBeGreaterThanOrEqual(280)
  })

  // Those came over several connections at once: test/endpoint/server/open-responses.test.ts plays each of them.
  test.each([...all].filter(([name]) => name !== 'openresponses.ws'))(
    'what %s sent is answered as expected, and the judge has nothing against it',
    async (_name, sequence) => {
      const { answers, errors } = await replay(sequence)
      const refused = answers.filter(({ status }) => status !== 200)
      expect(Object.fromEntries(refused.map((answer) => [answer.name, refusalIn(answer)]))).toEqual(
        Object.fromEntries(Object.entries(REFUSED).filter(([name]) => sequence.some((one) => one.name === name))),
      )
      expect(answers.flatMap(({ status, body }) => (status === 200 && body['error'] ? [body['error']] : []))).toEqual(
        [],
      )
      expect(answers.flatMap(faultsIn)).toEqual([])
      // The stored conversation is sent to the engine in the same tokens.
      const again = answers.flatMap(({ name, readAgain = 0 }) =>
        readAgain <= (READ_AGAIN[name] ?? 0) ? [] : [[name, readAgain]],
      )
      expect(again).toEqual([])
      expect(errors).toEqual([])
    },
  )
})
