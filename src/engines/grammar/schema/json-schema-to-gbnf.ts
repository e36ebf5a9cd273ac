import { atOnce } from '../../../shared/slices.js'
import { writeGbnf } from '../gbnf/write-gbnf.js'
import { UnsupportedSchema } from '../unsupported-schema.js'
import { compileSchema } from './compile-schema.js'

/**
 * Returns the grammar of the JSON texts that are valid against a schema, in GBNF, the syntax of llama.cpp: see {@link
 * compileSchema}, which enforces as much as it can of any schema.
 *
 * @throws UnsupportedSchema for a keyword that the grammar cannot enforce, or a schema that allows nothing;
 * `InvalidSchema` for an invalid one
 */
export function jsonSchemaToGbnf(schema: unknown): string {
  const { grammar, shared, relaxed } = atOnce(compileSchema(schema))
  const [first] = relaxed
  if (first !== undefined) throw new UnsupportedSchema(first.path, first.message)
  return atOnce(writeGbnf(grammar, shared))
}
