import { choice, type Expression, type Grammar, sequence, text } from '../expression.js'
import { writeGbnf } from '../gbnf/write-gbnf.js'
import { productive } from '../productive.js'
import { createRules } from '../rules.js'
import { UnsupportedSchema } from '../unsupported-schema.js'
import { arrayText } from './array.js'
import type { Compiler } from './compiler.js'
import { createExpander } from './expand.js'
import { isJsonObject } from './keywords.js'
import { keyOf, type Located, pathOf, resolve } from './located.js'
import { integerText, numberText } from './number.js'
import { objectText } from './object.js'
import { ANYTHING, type JsonType, type Shape } from './shape.js'
import { stringText } from './string.js'
import { allowedValues } from './values.js'

/** A grammar is at most about so many characters, and so many rules. */
const LONGEST = 1_000_000
const MOST_RULES = 20_000
/** Schemas stand in each other at most so deep. */
const DEEPEST = 100

/**
 * The grammar of the JSON texts that are valid against a schema (JSON Schema 2020-12, and draft 7 where they agree), in
 * GBNF, the syntax of llama.cpp. docs/strict.md lists what becomes of each keyword.
 *
 * Properties come in the order in which the schema declares them, those that are not declared last. Between tokens there
 * is at most one blank, after `{`, `[`, `,` and `:`, and before `}` and `]`.
 *
 * @throws UnsupportedSchema a keyword that the grammar would not hold, or a schema that allows nothing
 */
export function jsonSchemaToGbnf(schema: unknown): string {
  const grammar = grammarOf(schema)
  const gbnf = writeGbnf(grammar)
  if (gbnf.length > 2 * LONGEST) throw new UnsupportedSchema('', TOO_LARGE)
  return gbnf
}

const TOO_LARGE = 'The schema is too large to be enforced.'

function grammarOf(document: unknown): Grammar {
  const rules = createRules()
  const expand = createExpander(document)
  let depth = 0

  const compiler: Compiler = {
    rules,
    value: (located) => textOf(located, 'value'),
    name: (located) => textOf({ all: [located, { schema: { type: 'string' }, path: '' }] }, 'name'),
    anything: () => compiler.value(ANYTHING),
  }

  function textOf(given: Located, use: 'value' | 'name'): Expression {
    const located = followed(document, given)
    return rules.once(`${use} ${keyOf(located)} ${given === ANYTHING}`, use, () => {
      depth += 1
      if (depth > DEEPEST)
        throw new UnsupportedSchema(pathOf(located), `More than ${DEEPEST} levels are not supported.`)
      const shapes = expand(located)
      const made = choice(...shapes.map((shape) => shapeText(shape, compiler)))
      depth -= 1
      if (rules.size > LONGEST || rules.all.size > MOST_RULES) throw new UnsupportedSchema(pathOf(located), TOO_LARGE)
      return made
    })
  }

  const root = compiler.value({ schema: document, path: '' })
  const grammar = productive(new Map([...rules.all, ['root', root]]))
  if (grammar === undefined) throw new UnsupportedSchema('', 'No value is valid against this schema.')
  return grammar
}

/** A schema that is nothing but a `$ref` is what it points at, so that a recursive one has one rule. */
function followed(document: unknown, located: Located): Located {
  const seen = new Set<string>()
  let at = located
  while (!('all' in at) && isJsonObject(at.schema) && Object.keys(at.schema).length === 1) {
    if (!Object.hasOwn(at.schema, '$ref') || seen.has(at.path)) return at
    seen.add(at.path)
    at = resolve(document, at.schema['$ref'], at.path)
  }
  return at
}

function shapeText(shape: Shape, compiler: Compiler): Expression {
  if (shape.values !== undefined) {
    return choice(...allowedValues(shape).map((value) => text(JSON.stringify(value))))
  }
  return choice(...[...shape.types].map((type) => typeText(type, shape, compiler)))
}

function typeText(type: JsonType, shape: Shape, compiler: Compiler): Expression {
  switch (type) {
    case 'null':
      return text('null')
    case 'boolean':
      return choice(text('true'), text('false'))
    case 'integer':
      return compiler.rules.add('integer', integerText(shape))
    case 'number':
      return compiler.rules.add('number', numberText(shape))
    case 'string':
      return stringText(shape, compiler.rules)
    case 'array':
      return sequence(arrayText(shape, compiler))
    case 'object':
      return sequence(objectText(shape, compiler))
  }
}
