import { unsupportedParameter } from '../../request-error.js'
import type { BodyDraft } from './draft.js'

/**
 * What becomes of a parameter:
 *
 * - `mapped`: it is a parameter of the Responses request, or decides how the answer is worded.
 * - `refused`: an error, because a client that asked for it would be misled by an answer without it.
 * - `ignored`: it changes nothing.
 */
export type Support = 'mapped' | 'refused' | 'ignored'

/** All that is known of a parameter of an API's body. */
export interface BodyField<Draft extends BodyDraft = BodyDraft> {
  readonly support: Support
  /** What it becomes, in a word or two; why it is not mapped, as a phrase. */
  readonly does: string
  /** Who sends it, if it is not a parameter of the API's SDK. */
  readonly sentBy?: string
  /** Reads a value that is not null. @throws RequestError */
  readonly read?: (value: unknown, draft: Draft) => void
}

/** A parameter that the Responses API has too. */
export function same(name: string, does: string = `\`${name}\``): BodyField {
  return { support: 'mapped', does, read: (value, draft) => draft.put(name, value) }
}

export function refused(name: string, does: string): BodyField {
  const read = (): never => {
    throw unsupportedParameter(name)
  }
  return { support: 'refused', does, read }
}

export function ignored(does: string, sentBy?: string): BodyField {
  return { support: 'ignored', does, ...(sentBy !== undefined && { sentBy }) }
}
