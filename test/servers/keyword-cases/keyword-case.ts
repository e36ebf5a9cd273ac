export type Schema = Readonly<Record<string, unknown>>

/** A schema, with bodies to put to a grammar backend. */
export interface KeywordCase {
  readonly schema: Schema
  /** Bodies that the schema allows. */
  readonly right: readonly string[]
  /** Bodies that it does not allow, by the keyword that refuses them; those of `text` are not JSON at all. */
  readonly wrong: Readonly<Record<string, readonly string[]>>
}

/** Cases by what they are about. */
export type KeywordCases = Readonly<Record<string, KeywordCase>>

/** Bodies as compact JSON. */
export const json = (...values: readonly unknown[]): readonly string[] => values.map((value) => JSON.stringify(value))

/** An object that has all of its properties, and no others. */
export const closed = (properties: Schema, required: readonly string[] = Object.keys(properties)): Schema => ({
  ...{ type: 'object', properties, required, additionalProperties: false },
})
