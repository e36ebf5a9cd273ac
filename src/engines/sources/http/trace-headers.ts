import type { GenerateOptions } from '../../contract/index.js'

/** Version, trace, parent and flags in lower-case hex; version ff, and ids of zeros alone, are invalid. */
const PARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/
/** One `key=value` of the state, of printable ASCII without `,` and `=` in the value. */
const MEMBER = /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/
/** The number of members that the standard requires to be passed on; more may be dropped. */
const MAX_MEMBERS = 32
const MAX_STATE_LENGTH = 512

/**
 * Returns the headers for a trace context. They may come from a client, so only values of the W3C's shape are passed
 * on: anything else could break the request, or smuggle something into it. Without a valid parent there is no state
 * either.
 *
 * @see https://www.w3.org/TR/trace-context/
 */
export function traceHeaders(trace: GenerateOptions['trace']): Readonly<Record<string, string>> {
  if (trace === undefined || !PARENT.test(trace.traceparent)) return {}
  const { traceparent, tracestate } = trace
  return tracestate !== undefined && isState(tracestate) ? { traceparent, tracestate } : { traceparent }
}

function isState(state: string): boolean {
  if (state.length > MAX_STATE_LENGTH) return false
  const members = state.split(',').map((member) => member.replace(/^[ \t]+|[ \t]+$/g, ''))
  return members.length <= MAX_MEMBERS && members.every((member) => member === '' || MEMBER.test(member))
}
