/**
 * A schema, or a regular expression, that our grammars cannot enforce as meant. Its message quotes no value of the
 * schema, so that a client may see it.
 */
export class UnsupportedSchema extends Error {
  override readonly name: string = 'UnsupportedSchema'
  /** A JSON pointer into the schema: `/properties/a/not`. The empty string points at the whole. */
  readonly path: string

  constructor(path: string, message: string) {
    super(message)
    this.path = path
  }
}

/** An invalid JSON Schema: an unknown type, a list in place of an object, a `$ref` without a target. */
export class InvalidSchema extends UnsupportedSchema {
  override readonly name = 'InvalidSchema'
}
