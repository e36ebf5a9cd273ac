import type { Profile } from '../../judge/conformance/index.js'
import type { StreamEvent } from '../../judge/conformance/stream-event.js'
import { type Finding, findingOf, type Fault as HttpFault } from '../../judge/probe/finding.js'
import { judgeEvents } from '../../judge/probe/judge-events.js'
import { JudgedReplies } from '../../judge/probe/judged-replies.js'
import { createHttpStreamReader } from '../../judge/probe/read-stream.js'
import { byTimeout, send } from '../../judge/probe/send.js'
import { check } from '../../shared/errors.js'

export type { AnyClient, Finding } from '../../judge/probe/finding.js'

/** An answer of a server, as far as it came, and what is wrong with it. */
export interface ReadAnswer {
  /** The events, in order. */
  readonly events: readonly StreamEvent[]
  /**
   * What the server did wrong, by root causes, errors before warnings: by the rules of the judge, and by those of `probe`
   * for HTTP. `breaks` names the clients that break. Mistakes of the model are not among them.
   */
  readonly findings: readonly Finding[]
}

/** The longest answer, in bytes. */
const MAX_BYTES = 64 * 2 ** 20
/** The longest silence, in milliseconds. */
const TIMEOUT = 60_000

/**
 * Reads a stream of Responses events from the answer of a server, or from its events, and judges it. Whatever the server
 * does is a finding: an error status, an answer that is not a stream, a connection that breaks, a silence of a minute.
 *
 * @throws HarmonyResponsesError `bad_option` if it is neither a `Response` nor an iterable of events
 *
 * @example
 * ```ts
 * import { toSseResponse } from 'harmony-responses/sse'
 * import { readAnswer } from 'harmony-responses/testing'
 *
 * const answer = await readAnswer(toSseResponse(events))
 * console.log(answer.events.at(-1)?.type, answer.findings.length) // response.completed 0
 * ```
 */
export async function readAnswer(
  answer: Response | Iterable<unknown> | AsyncIterable<unknown>,
  profile: Profile = 'openai',
): Promise<ReadAnswer> {
  const isIterable = Symbol.iterator in Object(answer) || Symbol.asyncIterator in Object(answer)
  check(answer instanceof Response || isIterable, 'readAnswer', 'a Response or its events', answer)
  if (answer instanceof Response) return readResponse(answer, profile)
  const events: StreamEvent[] = []
  for await (const event of answer) events.push(event as StreamEvent)
  return { events, findings: judgeEvents(REQUEST, events, profile, true).findings }
}

/** The only request of an answer, in its findings. */
const REQUEST = 'request'

async function readResponse(response: Response, profile: Profile): Promise<ReadAnswer> {
  const findings: Finding[] = []
  const limits = { timeout: TIMEOUT, maxBytes: MAX_BYTES, signal: undefined, timer: byTimeout }
  const replies = new JudgedReplies({
    limits,
    report: (request: string, fault: HttpFault) => findings.push(findingOf(request, fault)),
    add: (finding) => findings.push(finding),
    note() {},
  })
  const reader = createHttpStreamReader()
  const { events } = reader
  const asked = { method: 'POST', url: '', headers: new Headers() } as const
  const reply = await send(
    async () => response,
    asked,
    limits,
    (text) => reader.push(text),
  )
  if (replies.refused(REQUEST, reply, {}) === undefined) {
    replies.stream(REQUEST, reply, reader, (isWhole) => judgeEvents(REQUEST, events, profile, isWhole))
  }
  return { events, findings }
}
