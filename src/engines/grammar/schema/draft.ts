import { isFields } from '../../../shared/fields.js'

/** The drafts of JSON Schema, as far as they read keywords differently: 3 is as 4, 6 as 7, and 2019-09 as 2020-12. */
export type Draft = '4' | '7' | '2020-12'

const OLD = /^https?:\/\/json-schema\.org\/draft-0([3467])\/schema#?$/

/** Returns the draft that a schema names by its `$schema`; the newest without one, or with an unknown one. */
export function draftOf(document: unknown): Draft {
  const uri = isFields(document) ? document['$schema'] : undefined
  const [, number] = (typeof uri === 'string' && OLD.exec(uri)) || []
  if (number === undefined) return '2020-12'
  return number === '3' || number === '4' ? '4' : '7'
}
