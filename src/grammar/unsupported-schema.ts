/**
 * A schema, or a regular expression, that no grammar of ours holds as it is meant. Its message quotes no value of the
 * schema, so that a client may see it.
 */
export class UnsupportedSchema extends Error {
  override readonly name: string = 'UnsupportedSchema'
  /** A JSON pointer into the schema: `/properties/a/not`. The empty string is all of it. */
  readonly path: string

  constructor(path: string, message: string) {
    super(message)
    this.path = path
  }
}

/** What is no JSON Schema: an unknown type, a list that has to be an object, a `$ref` that points at nothing. */
export class InvalidSchema extends UnsupportedSchema {
  override readonly name = 'InvalidSchema'
}
