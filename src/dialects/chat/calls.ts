import { duplicateItem, RequestError } from '../../shared/request-error.js'

/** The two kinds of calls that Chat Completions has. */
export type CallKind = 'function' | 'custom'

interface Call {
  readonly kind: CallKind
  /** Its `call_id` in the request. */
  readonly callId: string
  /** The path of the call. */
  readonly at: string
}

/**
 * Matches results with calls. Servers that number calls from 0 in every turn reuse ids: each call gets a distinct one
 * in the request, where ids have to be unique. The model never sees them.
 */
export class ChatCalls {
  /** The calls without a result, by the client's ids. */
  readonly #open = new Map<string, Call>()
  /** How often each id was used. */
  readonly #given = new Map<string, number>()

  /** @returns its `call_id` in the request. @throws RequestError if another open call has this id */
  open(id: string, kind: CallKind, at: string): string {
    if (this.#open.has(id)) throw duplicateItem(id, `${at}.id`)
    const callId = this.#unique(id)
    this.#open.set(id, { kind, callId, at })
    return callId
  }

  /** Returns the call that a tool message answers. @throws RequestError if there is none */
  close(id: string, param: string): Call {
    if (this.#open.size === 0) throw withoutCalls(param)
    const call = this.#open.get(id)
    if (call === undefined) {
      const message = `Invalid parameter: 'tool_call_id' of '${id.slice(0, 60)}' not found in 'tool_calls' of previous message.`
      throw new RequestError(message, { param: `${param}.tool_call_id` })
    }
    this.#open.delete(id)
    return call
  }

  /** @throws RequestError if a call has no result */
  finish(): void {
    const ids = [...this.#open.keys()].slice(0, 10).map((id) => id.slice(0, 60))
    for (const { at } of this.#open.values()) {
      const rule =
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
      const message = `${rule} The following tool_call_ids did not have response messages: ${ids.join(', ')}`
      throw new RequestError(message, { param: at })
    }
  }

  #unique(id: string): string {
    for (let candidate = id; ; ) {
      const count = (this.#given.get(candidate) ?? 0) + 1
      this.#given.set(candidate, count)
      if (count === 1) return candidate
      candidate = `${candidate}_${count}`
    }
  }
}

function withoutCalls(param: string): RequestError {
  const rule = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
  return new RequestError(`Invalid parameter: ${rule}`, { param: `${param}.role` })
}
