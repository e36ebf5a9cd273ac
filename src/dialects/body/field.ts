import { unsupportedParameter } from '../../shared/request-error.js'
import type { Slices } from '../../shared/slices.js'
import type { BodyDraft } from './draft.js'

/**
 * How a parameter is supported:
 *
 * - `mapped`: it is a parameter of the Responses request, or affects the form of the answer.
 * - `refused`: an error, because a client that asked for it would be misled by an answer without it.
 * - `ignored`: it changes nothing.
 */
export type Support = 'mapped' | 'refused' | 'ignored'

/** All facts about a parameter of an API's body. */
export interface BodyField<Draft extends BodyDraft = BodyDraft> {
  readonly support: Support
  /** Its counterpart, in a word or two, or the reason why it has none, as a phrase. */
  readonly does: string
  /** The clients that send it, if it is not a parameter of the API's SDK. */
  readonly sentBy?: string
  /** Reads a non-null value. @throws RequestError */
  readonly read?: (value: unknown, draft: Draft) => void
  /** Does so in slices, where a value may be long. @throws RequestError */
  readonly readInSlices?: (value: unknown, draft: Draft) => Slices<void>
}

/** Describes a parameter that the Responses API has too. */
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
