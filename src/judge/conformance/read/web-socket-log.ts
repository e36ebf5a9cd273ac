import { isFields } from '../../../shared/fields.js'
import type { StreamEvent } from '../stream-event.js'
import { parseJson } from './parse-json.js'

/** The maximum offset of an event in a line: after a time, a direction, or the name of a tool. */
const MAX_PREFIX = 120

/** Matches a log's prefix of a message that the client sent. */
const SENT = /(?:^|[\s[(|:])(?:>{1,3}|→|⇒|=>|->|↑|⬆|send|sent|sending|out|outgoing|tx|client|request)(?:$|[\s\])|:,])/i

/** A message of a WebSocket in a line of a log. */
export interface LoggedMessage {
  /** Undefined for one that the client sent. */
  readonly event: StreamEvent | undefined
}

/** The message in a line such as `12:00:01 < {"type":...}`; undefined if there is none. */
export function messageIn(line: string): LoggedMessage | undefined {
  const at = line.indexOf('{')
  if (at < 0 || at > MAX_PREFIX) return undefined
  const value = parseJson(line.slice(at).trimEnd())?.value
  if (!isFields(value) || typeof value['type'] !== 'string' || !/^(response\.|error$)/.test(value['type']))
    return undefined
  return { event: SENT.test(line.slice(0, at)) || isOfClient(value['type']) ? undefined : (value as StreamEvent) }
}

/** Whether only clients send messages of this type. */
export const isOfClient = (type: string): boolean => type === 'response.create' || type === 'response.cancel'
