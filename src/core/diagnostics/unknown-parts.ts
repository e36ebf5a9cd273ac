import { shortened } from '../../shared/shortened.js'
import type { Diagnostic } from './diagnostic.js'

/** How to treat what nobody knows in a request: leave it out and report it, or refuse it. */
export const UNKNOWN_POLICIES = ['skip', 'refuse'] as const

export type UnknownPolicy = (typeof UNKNOWN_POLICIES)[number]

/** The most parts that a diagnostic names. */
const MAX_NAMED = 8
/** The longest part of a name, in UTF-16 code units: names and types are the client's. */
const MAX_LENGTH = 64
/** Fields that clients add for themselves and do not expect a server to read: Codex, and the SDK of OpenAI. */
const CLIENTS_OWN = ['internal_chat_message_metadata_passthrough', 'parsed_arguments', 'parsed']

/** Returns what the model reads of content of an unknown type: its text, or its type. */
export function readableText({ type, text }: { readonly type: string; readonly text?: unknown }): string {
  return typeof text === 'string' ? text : `[${shortened(type, MAX_LENGTH)}]`
}

/**
 * What was left out of a request because nobody knows it. The same field or type is named once, wherever in a list it
 * stands: `input[].mood`.
 */
export class UnknownParts {
  readonly #named = new Set<string>()
  #hasMore = false

  /** @param path - of a field, or of an entry of a list. @param type - that of the entry */
  add(path: readonly PropertyKey[], type?: string): void {
    if (type === undefined && CLIENTS_OWN.includes(String(path.at(-1)))) return
    const steps = path.map((step) => (typeof step === 'number' ? '[]' : `.${shortened(String(step), MAX_LENGTH)}`))
    const kind = type === undefined ? '' : ` of type '${shortened(type, MAX_LENGTH)}'`
    const name = `${steps.join('').replace(/^\./, '')}${kind}`
    if (this.#named.size < MAX_NAMED) this.#named.add(name)
    else this.#hasMore ||= !this.#named.has(name)
  }

  /** Undefined if there are none. */
  diagnostic(): Diagnostic | undefined {
    if (this.#named.size === 0) return undefined
    const subject = `${[...this.#named].join(', ')}${this.#hasMore ? ' and others' : ''}`
    return { code: 'unknown_input', subject, index: -1 }
  }
}
