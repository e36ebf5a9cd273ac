import type { Fields } from '../../shared/fields.js'
import { asFields, asString } from '../conformance/stream-event.js'
import { ALL_BUT_CODEX, EVERY_CLIENT, type Fault, jsonPreview, preview } from './finding.js'
import { objectIn } from './judge-answer.js'
import type { Limits, Reply } from './send.js'

/* Faults of an answer as a whole, found before its content is judged. */

/** A response that failed, or has an invalid status. */
export function unsuccessfulResponse({ status, error }: Fields): Fault {
  const message = asString(asFields(error)['message'])
  const got = message === '' ? jsonPreview(status) : `${jsonPreview(status)}: ${preview(message)}`
  return { rule: 'succeeds', expected: 'a response that is completed or incomplete', got, breaks: EVERY_CLIENT }
}

/** An answer that did not come to its end. `events`: how many events came. */
export function incompleteAnswer({ end, reason, text }: Reply, events: number, { timeout, maxBytes }: Limits): Fault {
  const came = events > 0 ? `${events} events` : text === '' ? 'nothing' : preview(text)
  const breaks = EVERY_CLIENT
  switch (end) {
    case 'silent':
      return {
        rule: 'answers-in-time',
        expected: `no silence of ${timeout / 1000} s`,
        got: `no end, after ${came}`,
        breaks,
      }
    case 'too long':
      return { rule: 'answer-size', expected: `an answer of ${maxBytes} bytes at most`, got: 'more', breaks }
    default:
      return { rule: 'connection', expected: 'an answer to its end', got: `${reason ?? end}, after ${came}`, breaks }
  }
}

/** A connection that stays open after the last event. All clients except Codex wait for it to close. */
export function connectionLeftOpen(): Fault {
  return {
    rule: 'stream-closes',
    expected: 'the connection to close after the last event',
    got: 'one that stays open',
    breaks: ALL_BUT_CODEX,
  }
}

/** An answer that is not a stream, although the request asked for one. */
export function notStreamed({ contentType, text }: Reply): Fault {
  const kind = objectIn(text) === undefined ? contentType || 'no content type' : 'JSON that is not streamed'
  const got = `${kind}: ${preview(text) || 'nothing'}`
  return { rule: 'streams', expected: 'a stream of events, as stream: true asks', got, breaks: EVERY_CLIENT }
}

/** An answer that is not JSON, although the request did not ask for a stream. */
export function notJson({ contentType, text }: Reply): Fault {
  const got = `${contentType || 'no content type'}: ${preview(text) || 'nothing'}`
  return { rule: 'answers-in-json', expected: 'a response as JSON', got, breaks: EVERY_CLIENT }
}

/** An answer with a wrong content type. */
export function wrongContentType(expected: string, { contentType }: Reply): Fault {
  return { rule: 'content-type', expected, got: contentType || 'no content type' }
}

/** A good request that was refused. */
export function refusedRequest({ status }: Reply, message: string, refusal?: Pick<Fault, 'rule' | 'expected'>): Fault {
  const { rule, expected } = refusal ?? { rule: 'answers', expected: 'status 200 for a good request' }
  return { rule, expected, got: `${status}: ${message}`, breaks: EVERY_CLIENT }
}
