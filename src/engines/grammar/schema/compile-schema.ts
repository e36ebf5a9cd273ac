import { isFields } from '../../../shared/fields.js'
import { atOnce, type Slices } from '../../../shared/slices.js'
import { choice, type Expression, type Grammar, rule, text } from '../expression.js'
import { productive } from '../productive.js'
import { createRules, type SharedRules } from '../rules.js'
import { alikeIn } from './alike.js'
import { arrayText } from './array.js'
import { Budget, FIRST_SLICE_NODES, MAX_NODES, OF_REFUSAL, OF_SHAPE, SLICE_NODES } from './budget.js'
import { CanonicalSchemas } from './canonical-schemas.js'
import { checkSchema } from './check-schema.js'
import type { Compiler } from './compiler.js'
import { EnforcedPatterns } from './enforced-patterns.js'
import { createExpander } from './expand.js'
import { byListedValue } from './listed-values.js'
import { ANYTHING, keyOf, type Located, pathOf } from './located.js'
import { integerText, numberText } from './number.js'
import { objectText } from './object.js'
import type { References } from './references.js'
import { type Relax, type Relaxation, Relaxations } from './relaxations.js'
import { ANY_SHAPE, type Shape } from './shape.js'
import { stringText } from './string.js'
import { type JsonType, typesOf } from './types.js'
import { allowedValues } from './values.js'

/** The maximum nesting of schemas: below, only types are enforced. */
const MAX_DEPTH = 100
/** Alternatives with at least this many parts become rules of their own, so that a pause may come between them. */
const LARGE = 20

/** A schema compiled to a grammar of the JSON texts that are valid against it. */
export interface CompiledSchema {
  readonly grammar: Grammar
  /** The rules that it shares with other grammars. */
  readonly shared: readonly SharedRules[]
  /** The relaxations: what the grammar allows although the schema does not. Empty if it enforces the whole schema. */
  readonly relaxed: readonly Relaxation[]
  /** Its cost, for callers that compile many. */
  readonly nodes: number
}

/**
 * Compiles a JSON Schema (2020-12, and earlier drafts where they agree). docs/strict.md describes each keyword.
 *
 * Properties come in the order of their declarations, undeclared ones last. Between tokens there is at most one blank,
 * after `{`, `[`, `,` and `:`, and before `}` and `]`.
 *
 * Parts that cannot be enforced are dropped one by one, so that the grammar allows more than the schema. Which ones depends
 * only on the schema and the budget.
 *
 * @param maxNodes - the budget, beyond which the rest of the schema, its deepest parts, is enforced only by type
 * @throws InvalidSchema
 */
export function* compileSchema(document: unknown, maxNodes: number = MAX_NODES): Slices<CompiledSchema> {
  const { references, schemas } = yield* checkSchema(document)
  const firsts = new CanonicalSchemas(yield* alikeIn(schemas, references))
  yield
  const rules = createRules()
  const relaxations = new Relaxations()
  const relax: Relax = (path, message) => relaxations.add(path, message)
  const budget = new Budget()
  const expand = createExpander({ references, relax, budget })
  const rulesOf = { values: new Map<string, Expression>(), names: new Map<string, Expression>() }
  const tasks: Task[] = []
  let depth = 0

  const used = (): number => rules.nodes + budget.steps
  let paused = 0
  let slice = FIRST_SLICE_NODES
  let outside = 0
  /** @param unset - nodes that were made and are in no rule yet: a value may have a thousand alternatives */
  const isPauseDue = (unset = 0): boolean => {
    outside += unset
    // A refused part has also cost work.
    const done = used() + outside + budget.refusals * OF_REFUSAL
    if (done - paused < slice) return false
    paused = done
    slice = Math.min(SLICE_NODES, 2 * slice)
    return true
  }

  /** @param make - receives the message if it is too much */
  function task(prefix: string, make: Task['make'], { isFree = false, at = depth } = {}): string {
    const name = rules.reserve(prefix)
    tasks.push({ name, depth: at, isFree, make })
    return name
  }

  function once(known: Map<string, Expression>, key: string, prefix: string, of: Located): Expression {
    const before = known.get(key)
    if (before !== undefined) return before
    const own = rule(task(prefix, (tooMuch) => valueText(of, tooMuch), { isFree: of === ANYTHING }))
    known.set(key, own)
    return own
  }

  function* valueText(of: Located, tooMuch: string | undefined): Slices<Expression> {
    if (tooMuch !== undefined) {
      relax(pathOf(of), tooMuch)
      return anyOf(typesIn(of))
    }
    const texts: Expression[] = []
    for (const shape of yield* expand(of)) {
      for (const each of byListedValue(shape)) {
        if (isPauseDue(OF_SHAPE)) yield
        texts.push(isLarge(each) ? compiler.shape(each) : yield* shapeText(each, compiler))
      }
    }
    return choice(texts)
  }

  /** Returns any value of these types: one rule, however often it stands in for something too large. */
  function anyOf(types: Shape['types']): Expression {
    const shape = { ...ANY_SHAPE, path: '', types }
    return rules.once(`any ${[...types].join(' ')}`, 'any', () => atOnce(shapeText(shape, compiler)))
  }

  const compiler: Compiler = {
    rules,
    strings: new Map(),
    patterns: new EnforcedPatterns((nodes) => budget.spend(nodes)),
    relax,
    spend: (nodes) => budget.spend(nodes),
    isPauseDue,
    value(given) {
      const located = given === ANYTHING ? given : firsts.of(followed(references, given))
      return once(rulesOf.values, located === ANYTHING ? OF_ANYTHING : keyOf(located), 'value', located)
    },
    name(given) {
      const located = firsts.of(given)
      const name: Located = { all: [located, { schema: { type: 'string' }, path: '' }] }
      return once(rulesOf.names, keyOf(located), 'name', name)
    },
    shape(shape) {
      const make: Task['make'] = function* (tooMuch) {
        if (tooMuch === undefined) return yield* shapeText(shape, compiler)
        relax(shape.path, tooMuch)
        return anyOf(shape.types)
      }
      return rule(task('shape', make, { at: depth - 1 }))
    },
    later: (prefix, make, otherwise) =>
      // Never deeper than its container.
      rule(task(prefix, (tooMuch) => (tooMuch === undefined ? make() : otherwise()), { at: depth - 1 })),
    anything: () => compiler.value(ANYTHING),
  }

  const root = compiler.value({ schema: document, path: '' })
  // The list grows during the loop. The content of a value comes after everything beside the value.
  for (const { name, depth: level, isFree, make } of tasks) {
    depth = level + 1
    budget.next()
    const tooMuch = isFree ? undefined : level > MAX_DEPTH ? TOO_DEEP : used() > maxNodes ? TOO_LARGE : undefined
    const made = make(tooMuch)
    rules.set(name, 'kind' in made ? made : yield* made)
    if (isPauseDue()) yield
  }
  const { included } = rules
  const grammar = yield* productive(new Map(rules.all).set('root', root), 'root', included)
  const nodes = used()
  if (grammar !== undefined) {
    const shared = Array.from(included).filter(({ name }) => grammar.has(name))
    return { grammar, shared, relaxed: yield* relaxations.list((path) => firsts.othersOf(path)), nodes }
  }
  const relaxed = [{ path: '', message: 'No value is valid against this schema.' }]
  return { ...(yield* compileSchema(true)), relaxed, nodes }
}

/** No path of a schema is this key: they begin with a slash, or are empty. */
const OF_ANYTHING = 'anything'
const TOO_LARGE = 'The schema is too large to be enforced: of this part only the type is.'
const TOO_DEEP = `More than ${MAX_DEPTH} levels are not supported: of this part only the type is enforced.`

/** A rule that is still to be created. */
interface Task {
  readonly name: string
  /** How deep it stands. */
  readonly depth: number
  /** Whether it is created whatever the budget. */
  readonly isFree: boolean
  /** @param tooMuch - why only its type may be enforced */
  readonly make: (tooMuch: string | undefined) => Expression | Slices<Expression>
}

function isLarge({ properties, prefix }: Shape): boolean {
  return properties.size + prefix.length > LARGE
}

function typesIn(of: Located): Shape['types'] {
  return ('all' in of ? undefined : typesOf(of.schema)) ?? ANY_SHAPE.types
}

/** The target of a schema that is only a `$ref`, so that a recursive schema has one rule. */
function followed(references: References, located: Located): Located {
  let seen: Set<string> | undefined
  let at = located
  while (!('all' in at) && isFields(at.schema) && references.isAlone(at.schema) && !seen?.has(at.path)) {
    const target = references.get(at.schema)
    if (target === undefined) return at
    seen ??= new Set()
    seen.add(at.path)
    at = target
  }
  return at
}

function* shapeText(shape: Shape, compiler: Compiler): Slices<Expression> {
  if (shape.values !== undefined) {
    const texts: Expression[] = []
    for (const value of yield* allowedValues(shape, compiler)) {
      texts.push(text(JSON.stringify(value)))
      if (compiler.isPauseDue(1)) yield
    }
    return choice(texts)
  }
  const texts: Expression[] = []
  for (const type of shape.types) {
    if (type === 'string') texts.push(yield* stringText(shape, compiler))
    else if (type === 'object') texts.push(yield* objectText(shape, compiler))
    else texts.push(typeText(type, shape, compiler))
  }
  return choice(texts)
}

function typeText(type: Exclude<JsonType, 'string' | 'object'>, shape: Shape, compiler: Compiler): Expression {
  const isLeft = (value: unknown): boolean => !shape.excluded.includes(value)
  switch (type) {
    case 'null':
      return choice([null].filter(isLeft).map((value) => text(String(value))))
    case 'boolean':
      return choice([true, false].filter(isLeft).map((value) => text(String(value))))
    case 'integer':
      return integerText(shape, compiler)
    case 'number':
      return numberText(shape, compiler)
    case 'array':
      return arrayText(shape, compiler)
  }
}
