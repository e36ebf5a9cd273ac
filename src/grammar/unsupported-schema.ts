/**
 * A schema, or a regular expression, that no grammar of ours holds as it is meant. Its message quotes no value of the
 * schema, so that a client may see it.
 */
export class UnsupportedSchema extends Error {
  override readonly name = 'UnsupportedSchema'
  /** A JSON pointer into the schema: `/properties/a/not`. The empty string is all of it. */
  readonly path: string

  constructor(path: string, message: string) {
    super(message)
    this.path = path
  }
}
