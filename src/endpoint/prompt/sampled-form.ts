import type { CitableFiles } from '../../core/responses/call-result.js'
import { isFields } from '../../shared/fields.js'

/*
 * How a response's messages were sampled, as far as rendering their items would yield other ids: the model's headers,
 * ids that the tokenizer would not choose, and results that hosted tools showed only to the model. A seal carries it,
 * so that a conversation that was not stored renders to the same ids as one with known transcripts.
 */

/** A message of the items before a seal, or of the sealed item. */
export interface SampledMessage {
  /**
   * How many items back its item is: 0 is the sealed item itself, 1 the one before it. Items without a message do not
   * count.
   */
  readonly back: number
  /** Whether it is the result of the item's call rather than the assistant's message. */
  readonly isResult: boolean
  /** The ids from `<|start|>` to the terminator; absent if the item renders to the same ids. */
  readonly tokens?: readonly number[]
}

export interface SampledForm {
  /** Whether the sealed item has no message and only carries the record of those before it. */
  readonly isAlone: boolean
  /** How many forms before it are wrong, and are ignored. Only if it is alone. Default: 0. */
  readonly replaces?: number
  /** In the transcript's order, which may differ from that of the items. */
  readonly messages: readonly SampledMessage[]
  /** The files whose marks are in these messages, so that the model can cite them again. Never empty. Default: none. */
  readonly files?: CitableFiles
}

/** Above the characters that JSON escapes, so that an id is one character of two to four bytes. */
const FIRST = 0x80
const SURROGATES = 0xd800
const SURROGATE_COUNT = 0x800

/** Writes the text for a seal, which is opaque to the seal. */
export function writeSampledForm({ isAlone, replaces = 0, messages, files }: SampledForm): string {
  const listed = messages.map(({ back, isResult, tokens }) => [
    back,
    Number(isResult),
    ...(tokens === undefined ? [] : [textOfIds(tokens)]),
  ])
  return JSON.stringify([isAlone ? 1 + replaces : 0, ...listed, ...(files === undefined ? [] : [files])])
}

/** Parses a text of {@link writeSampledForm}; undefined for any other. */
export function readSampledForm(text: string): SampledForm | undefined {
  let values: unknown
  try {
    values = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!Array.isArray(values)) return undefined
  const files: unknown = isFields(values.at(-1)) ? values.pop() : undefined
  const [alone, ...listed] = values as readonly unknown[]
  if (files !== undefined && !areFiles(files)) return undefined
  if (!isCount(alone) || !listed.every(isListed)) return undefined
  const messages = (listed as [number, number, string?][]).map(([back, isResult, ids]) => ({
    back,
    isResult: isResult === 1,
    ...(ids !== undefined && { tokens: idsOfText(ids) }),
  }))
  return { isAlone: alone > 0, ...(alone > 1 && { replaces: alone - 1 }), messages, ...(files && { files }) }
}

/** Returns the files of a form, without parsing one that has none. */
export function filesOfForm(form: string): CitableFiles | undefined {
  return form.endsWith('}]') ? readSampledForm(form)?.files : undefined
}

function areFiles(value: unknown): value is CitableFiles {
  return Object.values(Object(value)).every(
    (file) => isFields(file) && typeof file['file_id'] === 'string' && typeof file['filename'] === 'string',
  )
}

function isListed(value: unknown): boolean {
  if (!Array.isArray(value) || value.length < 2 || value.length > 3) return false
  const [back, isResult, ids] = value as readonly unknown[]
  const isText = value.length === 2 || typeof ids === 'string'
  return isCount(back) && isFlag(isResult) && isText
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isFlag(value: unknown): boolean {
  return value === 0 || value === 1
}

function textOfIds(ids: readonly number[]): string {
  return ids
    .map((id) => String.fromCodePoint(id + FIRST < SURROGATES ? id + FIRST : id + FIRST + SURROGATE_COUNT))
    .join('')
}

/** Reads ids. The reader of the message rejects those that no message may contain. */
function idsOfText(text: string): number[] {
  return Array.from(text, (character) => {
    const code = character.codePointAt(0) as number
    return code < SURROGATES ? code - FIRST : code - FIRST - SURROGATE_COUNT
  })
}
