import { choice, EMPTY, type Expression, NEVER, optional, sequence, text } from '../expression.js'
import { anyString, BLANK, bracketed, following } from '../json-text.js'
import type { Compiler } from './compiler.js'
import { below, isJsonObject } from './keywords.js'
import { otherText } from './other-text.js'
import type { Relax } from './relaxations.js'
import { ANYTHING, type Shape } from './shape.js'

/** Names that are not declared are told from those that are by their characters, up to so many. */
const LONGEST_NAME = 200

interface Member {
  readonly text: Expression
  readonly isRequired: boolean
}

/** The objects that a shape allows: declared properties in their order, then others. */
export function objectText(given: Shape, compiler: Compiler): Expression {
  const shape = withListedNames(given)
  relaxCounts(shape, compiler.relax)
  const { properties, additional, required, names } = shape
  const undeclared = [...required].filter((name) => !properties.has(name))
  if (names !== ANYTHING && (properties.size > 0 || undeclared.length > 0)) {
    const at = below(shape.path, 'propertyNames')
    compiler.relax(at, "'propertyNames' is enforced beside declared properties for the other names alone.")
  }
  const members: Member[] = [...properties.keys(), ...undeclared].map((name) => ({
    text: pair(text(JSON.stringify(name)), compiler.value(properties.get(name) ?? additional)),
    isRequired: required.has(name),
  }))
  const other = 'schema' in additional && additional.schema === false ? NEVER : otherMember(shape, members, compiler)
  const isOnlyOthers = members.length === 0
  const more = other === NEVER ? EMPTY : compiler.rules.times(following(other), 0, Number.POSITIVE_INFINITY)
  const inner = isOnlyOthers ? sequence(other, more) : listed(members, other, more, compiler)
  return bracketed('{', inner, !members.some(({ isRequired }) => isRequired))
}

/** At least one member: each but the first one has a comma before it. */
function listed(members: readonly Member[], other: Expression, more: Expression, compiler: Compiler): Expression {
  // What may follow a member, from the last one to the first one.
  let rest = more
  const first: Expression[] = other === NEVER ? [] : [sequence(other, more)]
  const lead = members.findIndex(({ isRequired }) => isRequired)
  const lastFirst = lead === -1 ? members.length - 1 : lead
  for (const [index, { text: member, isRequired }] of [...members.entries()].toReversed()) {
    if (index <= lastFirst) first.unshift(sequence(member, rest))
    const next = following(member)
    rest = sequence(isRequired ? next : optional(next), rest)
    // Said once and referred to, because it is what follows each of the members before.
    if (index > 0 && index <= lastFirst) rest = compiler.rules.add('more', rest)
  }
  return choice(...(lead === -1 ? first : first.slice(0, lead + 1)))
}

function pair(name: Expression, value: Expression): Expression {
  return sequence(name, text(':'), BLANK, value)
}

/** A member that is not declared. */
function otherMember(
  { names, properties, required, additional, path }: Shape,
  members: readonly Member[],
  compiler: Compiler,
): Expression {
  const { rules } = compiler
  if (names !== ANYTHING) return rules.add('other', pair(compiler.name(names), compiler.value(additional)))
  if (members.length === 0) return rules.add('other', pair(anyString(rules), compiler.value(additional)))
  const taken = [...new Set([...properties.keys(), ...required])]
  const isTooLong = taken.some((name) => name.length > LONGEST_NAME)
  if (isTooLong) {
    const message = `Beside a property's name of more than ${LONGEST_NAME} characters, it cannot be enforced.`
    compiler.relax(below(path, 'additionalProperties'), message)
  }
  const tooMany = (): void => compiler.relax(below(path, 'additionalProperties'), TOO_MANY)
  const name = isTooLong ? anyString(rules) : otherText(taken, { rules, later: compiler.later, tooMany })
  return rules.add('other', pair(name, isTooLong ? compiler.anything() : compiler.value(additional)))
}

const TOO_MANY = 'There are too many names that others have to be told from.'

/** Names that are listed are properties, and there are no others: a record with an enum for its keys. */
function withListedNames(shape: Shape): Shape {
  const { names, properties, additional } = shape
  if (names === ANYTHING || !('schema' in names) || !isJsonObject(names.schema)) return shape
  const { enum: listed, const: only, type, ...rest } = names.schema
  if (listed === undefined && only === undefined) {
    // What is always a string need not be said to be one.
    const saysNothing =
      type === 'string' && Object.keys(rest).every((keyword) => keyword === 'title' || keyword === 'description')
    return saysNothing ? { ...shape, names: ANYTHING } : shape
  }
  const allowed: readonly unknown[] = Array.isArray(listed) ? listed : [only]
  const isPlain = allowed.every((name) => typeof name === 'string') && (type === undefined || type === 'string')
  const isOnly = [...properties.keys()].every((name) => allowed.includes(name))
  if (!isPlain || !isOnly || Object.keys(rest).length > 0) return shape
  const all = new Map(allowed.map((name) => [name as string, properties.get(name as string) ?? additional]))
  const none = { schema: false, path: below(shape.path, 'propertyNames') }
  return { ...shape, names: ANYTHING, properties: all, additional: none }
}

/** How many properties there are is not counted; it may follow from the rest. */
function relaxCounts(
  { minProperties, maxProperties, properties, additional, required, path }: Shape,
  relax: Relax,
): void {
  if (minProperties > required.size) {
    relax(below(path, 'minProperties'), "The keyword 'minProperties' cannot be enforced.")
  }
  const isClosed = 'schema' in additional && additional.schema === false
  if (maxProperties !== Number.POSITIVE_INFINITY && (!isClosed || properties.size > maxProperties)) {
    relax(below(path, 'maxProperties'), "The keyword 'maxProperties' cannot be enforced.")
  }
}
