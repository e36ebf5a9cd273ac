import { isFields } from '../../../shared/fields.js'
import type { Slices } from '../../../shared/slices.js'
import { choice, EMPTY, type Expression, NEVER, optional, sequence, text } from '../expression.js'
import { anyString, BLANK, bracketed, following, quoted } from '../json-text.js'
import { automatonExpression } from '../regex/automaton-expression.js'
import type { Compiler } from './compiler.js'
import { below } from './keywords.js'
import { ANYTHING, inside, type Located } from './located.js'
import { namesByPattern } from './names-by-pattern.js'
import { otherText } from './other-text.js'
import { areApart, type Patterned } from './patterned.js'
import type { Relax } from './relaxations.js'
import { isNothing, propertyOf, type Shape } from './shape.js'
import { type Alternative, alternativesToHave } from './some-property.js'

/** The maximum length of names that are distinguished from declared ones, character by character. */
const MAX_NAME_LENGTH = 200

/** The cost of a member in nodes: its name, its value, a comma and blanks. */
const OF_MEMBER = 8

interface Member {
  readonly text: Expression
  readonly isRequired: boolean
}

/** Returns the objects that a shape allows: declared properties in their order, then others. */
export function* objectText(given: Shape, compiler: Compiler): Slices<Expression> {
  const shape = withListedNames(given)
  relaxCounts(shape, compiler.relax)
  for (const at of shape.unenforceablePatterns) compiler.relax(below(at, 'patternProperties'), UNENFORCEABLE_PATTERNS)
  const texts: Expression[] = []
  for (const alternative of alternativesToHave(shape, compiler)) {
    texts.push(yield* alternativeText(alternative, compiler))
  }
  return choice(texts)
}

function* alternativeText({ shape, other: demanded }: Alternative, compiler: Compiler): Slices<Expression> {
  const { properties, required, names } = shape
  const undeclared: string[] = []
  for (const name of required) if (!properties.has(name)) undeclared.push(name)
  if (names !== ANYTHING && (properties.size > 0 || undeclared.length > 0)) {
    const at = below(shape.path, 'propertyNames')
    compiler.relax(at, "'propertyNames' is enforced beside declared properties for the other names alone.")
  }
  const members: Member[] = []
  for (const name of [...properties.keys(), ...undeclared]) {
    const value = compiler.value(propertyOf(shape, name))
    members.push({
      text: sequence([text(`${JSON.stringify(name)}:`), BLANK, value]),
      isRequired: required.has(name),
    })
    if (compiler.isPauseDue(OF_MEMBER)) yield
  }
  const other = isClosed(shape) ? NEVER : choice(yield* otherMembers(shape, compiler))
  const isOnlyOthers = members.length === 0
  if (isOnlyOthers && shape.maxProperties === 0) return bracketed('{', NEVER, true)
  const max = isOnlyOthers && shape.maxProperties <= MAX_COUNTED ? shape.maxProperties - 1 : Number.POSITIVE_INFINITY
  const more = isNever(other) ? EMPTY : compiler.rules.times(following(other), 0, max)
  const others: Others = { first: isNever(other) ? other : sequence([other, more]), more }
  const tail = demanded === undefined ? others : yield* withDemanded(others, other, demanded, shape, compiler)
  const inner = isOnlyOthers ? tail.first : yield* listed(members, tail, compiler)
  const canBeEmpty =
    demanded === undefined && shape.minProperties === 0 && !members.some(({ isRequired }) => isRequired)
  return bracketed('{', inner, canBeEmpty)
}

/** Undeclared members, as the first ones of an object and after others. */
interface Others {
  readonly first: Expression
  readonly more: Expression
}

/** Requires at least one member with the demanded schema. */
function* withDemanded(
  { first, more }: Others,
  other: Expression,
  demanded: Located,
  shape: Shape,
  compiler: Compiler,
): Slices<Others> {
  if (demanded === shape.additional) return { first, more: sequence([following(other), more]) }
  const one = choice(yield* otherMembers({ ...shape, additional: demanded }, compiler))
  const last = sequence([more, following(one), more])
  return { first: choice([sequence([one, more]), sequence([other, last])]), more: last }
}

/** Returns at least one member: each but the first is preceded by a comma. */
function* listed(members: readonly Member[], others: Others, compiler: Compiler): Slices<Expression> {
  const lead = members.findIndex(({ isRequired }) => isRequired)
  const lastFirst = lead === -1 ? members.length - 1 : lead
  const next = ({ text: member, isRequired }: Member): Expression =>
    isRequired ? following(member) : optional(following(member))
  const first: Expression[] = isNever(others.first) || lead !== -1 ? [] : [others.first]
  // The rest after a member. What no object begins with is one sequence: put together one by one, it would be copied
  // for each member.
  const last: Expression[] = []
  for (let index = lastFirst + 1; index < members.length; index++) last.push(next(members[index] as Member))
  let rest = sequence([...last, others.more])
  for (let index = lastFirst; index >= 0; index--) {
    const member = members[index] as Member
    first.push(sequence([member.text, rest]))
    // Defined once and referred to, because each of the earlier members is followed by it.
    if (index > 0) rest = compiler.rules.add('more', sequence([next(member), rest]))
    if (compiler.isPauseDue()) yield
  }
  return choice(first.reverse())
}

const COLON = text(':')

function pair(name: Expression, value: Expression): Expression {
  return sequence([name, COLON, BLANK, value])
}

function isNever(expression: Expression): boolean {
  return expression.kind === 'choice' && expression.of.length === 0
}

/** Whether there are no undeclared members. */
function isClosed({ names, patterned, additional }: Shape): boolean {
  return names === ANYTHING && patterned.length === 0 && isNothing(additional)
}

/** Returns undeclared members as alternatives, none if they are not allowed. */
function* otherMembers(shape: Shape, compiler: Compiler): Slices<Expression[]> {
  const { names, properties, required, additional, patterned, path } = shape
  const { rules, relax } = compiler
  const member = (name: Expression, value: Expression): Expression => rules.add('other', pair(name, value))
  const hasNoMore = isNothing(additional)
  const at = below(path, 'patternProperties')
  if (names !== ANYTHING) {
    if (patterned.length > 0) relax(at, "'patternProperties' beside 'propertyNames' cannot be enforced.")
    if (patterned.length > 0) return [member(compiler.name(names), compiler.anything())]
    return hasNoMore ? [] : [member(compiler.name(names), compiler.value(additional))]
  }
  const declared = [...new Set([...properties.keys(), ...required])]
  const isTooLong = declared.some((name) => name.length > MAX_NAME_LENGTH)
  const taken = isTooLong ? [] : declared
  const but = (keyword: string, prefixes: readonly string[]): Expression =>
    otherText(taken, {
      rules,
      later: compiler.later,
      prefixes,
      tooMany: () => relax(below(path, keyword), TOO_MANY),
    })
  if (isTooLong && !isClosed(shape)) {
    const message = `Beside a property's name of more than ${MAX_NAME_LENGTH} characters, it cannot be enforced.`
    relax(patterned.length > 0 ? at : below(path, 'additionalProperties'), message)
    return [member(anyString(rules), compiler.anything())]
  }
  const prefixes = patterned.map(({ prefix }) => prefix)
  const isTaken = patterned.length > 0 && (yield* matchDeclared(patterned, declared, compiler))
  const isTold = areApart(patterned) && !prefixes.includes(undefined) && !isTaken
  const kinds = isTold ? undefined : yield* namesByPattern(patterned, declared, additional, compiler.spend)
  if (kinds !== undefined) {
    const members: Expression[] = []
    for (const { names: kind, value } of kinds) {
      if (isNothing(value)) continue
      members.push(member(quoted(yield* automatonExpression(kind, rules, 'spelled')), compiler.value(value)))
    }
    return members
  }
  if (!areApart(patterned)) relax(at, 'For a name that matches two patterns, only one is enforced.')
  if (isTaken) relax(at, 'A declared name that matches, too, may come a second time.')
  const byPattern = patterned.map(({ source, path: inner, prefix, value }) => {
    const named = (): Expression => compiler.name({ schema: { pattern: source }, path: inside(inner, 'name') })
    const name = prefix === '' ? but('patternProperties', []) : named()
    return member(name, compiler.value(value))
  })
  if (hasNoMore || prefixes.includes('')) return byPattern
  if (!prefixes.includes(undefined)) {
    const name = declared.length === 0 && patterned.length === 0 ? anyString(rules) : undefined
    return [...byPattern, member(name ?? but('additionalProperties', prefixes as string[]), compiler.value(additional))]
  }
  relax(at, UNTOLD)
  return [member(but('additionalProperties', []), compiler.anything())]
}

/** Whether a pattern that not all names match matches a declared one. */
function* matchDeclared(
  patterned: readonly Patterned[],
  declared: readonly string[],
  { isPauseDue }: Pick<Compiler, 'isPauseDue'>,
): Slices<boolean> {
  for (const { prefix, matches } of patterned) {
    if (prefix === '') continue
    for (const name of declared) {
      if (matches(name)) return true
      if (isPauseDue(1)) yield
    }
  }
  return false
}

/** The maximum repetition that is counted. */
const MAX_COUNTED = 10_000

const UNENFORCEABLE_PATTERNS = "'patternProperties' of several schemas of the same object cannot be enforced together."
const UNTOLD =
  "Names that match cannot be told from others: 'additionalProperties' has to be false, or the pattern a beginning such as '^x-'."
const TOO_MANY = 'There are too many names that others have to be told from.'

/** Converts listed names to properties without others: a record with an enum for its keys. */
function withListedNames(shape: Shape): Shape {
  const { names, properties, additional } = shape
  if (names === ANYTHING || !('schema' in names) || !isFields(names.schema)) return shape
  const { enum: listed, const: only, type, ...rest } = names.schema
  if (listed === undefined && only === undefined) {
    // Names are always strings, so that type adds nothing.
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

/** Relaxes counts of properties, which are enforced only without declared ones. They may follow from the rest. */
function relaxCounts(shape: Shape, relax: Relax): void {
  const { minProperties, maxProperties, properties, additional, patterned, required, path } = shape
  if (minProperties > Math.max(1, required.size)) {
    relax(below(path, 'minProperties'), "This 'minProperties' cannot be enforced.")
  }
  const isWhole = isNothing(additional) && patterned.length === 0
  const isFree = properties.size === 0 && required.size === 0
  if (maxProperties === Number.POSITIVE_INFINITY || (isFree && maxProperties <= MAX_COUNTED)) return
  if (!isWhole || properties.size > maxProperties) {
    relax(below(path, 'maxProperties'), "This 'maxProperties' cannot be enforced.")
  }
}
