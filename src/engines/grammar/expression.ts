import { normalRanges, type Range } from './ranges.js'

/** A set of texts, in the forms of GBNF. */
export type Expression =
  | { readonly kind: 'text'; readonly text: string }
  /** One character. */
  | { readonly kind: 'class'; readonly ranges: readonly Range[] }
  | { readonly kind: 'sequence'; readonly of: readonly Expression[] }
  /** One of several alternatives; without any, no text. */
  | { readonly kind: 'choice'; readonly of: readonly Expression[] }
  /** @param max - `Infinity` if there is no limit */
  | { readonly kind: 'repeat'; readonly of: Expression; readonly min: number; readonly max: number }
  | { readonly kind: 'rule'; readonly name: string }

/** Rules by name, one of which is `root`. */
export type Grammar = ReadonlyMap<string, Expression>

/** The empty text. */
export const EMPTY: Expression = { kind: 'sequence', of: [] }
/** No text. */
export const NEVER: Expression = { kind: 'choice', of: [] }

export function text(value: string): Expression {
  return value === '' ? EMPTY : { kind: 'text', text: value }
}

export function oneOf(ranges: readonly Range[]): Expression {
  const normal = normalRanges(ranges)
  const [first] = normal
  if (first === undefined) return NEVER
  const isOne = normal.length === 1 && first[0] === first[1]
  return isOne ? text(String.fromCodePoint(first[0])) : { kind: 'class', ranges: normal }
}

export function sequence(parts: readonly Expression[]): Expression {
  if (isFlat(parts)) return parts.length === 1 ? (parts[0] as Expression) : { kind: 'sequence', of: parts }
  const of: Expression[] = []
  for (const part of parts) {
    if (part.kind !== 'sequence') append(of, part)
    else for (const inner of part.of) append(of, inner)
  }
  return of.length === 1 ? (of[0] as Expression) : { kind: 'sequence', of }
}

/** Whether parts stay as they are in a sequence: most do, and are not copied. */
function isFlat(parts: readonly Expression[]): boolean {
  let before: Expression['kind'] | undefined
  for (const { kind } of parts) {
    if (kind === 'sequence' || (kind === 'text' && before === 'text')) return false
    before = kind
  }
  return true
}

/** Appends a part, joining adjacent texts. */
function append(of: Expression[], part: Expression): void {
  const last = of.at(-1)
  if (part.kind === 'text' && last?.kind === 'text') of[of.length - 1] = text(last.text + part.text)
  else of.push(part)
}

export function choice(parts: readonly Expression[]): Expression {
  if (parts.length === 1) return parts[0] as Expression
  if (parts.every(({ kind }) => kind !== 'choice')) return { kind: 'choice', of: parts }
  const of: Expression[] = []
  for (const part of parts) {
    if (part.kind !== 'choice') of.push(part)
    else for (const inner of part.of) of.push(inner)
  }
  return of.length === 1 ? (of[0] as Expression) : { kind: 'choice', of }
}

export function repeat(of: Expression, min: number, max: number): Expression {
  if (max === 0 || of === EMPTY) return EMPTY
  return min === 1 && max === 1 ? of : { kind: 'repeat', of, min, max }
}

export function optional(of: Expression): Expression {
  return repeat(of, 0, 1)
}

export function rule(name: string): Expression {
  return { kind: 'rule', name }
}

/** The expression with each of its parts, and then itself, changed. */
export function mapped(expression: Expression, change: (one: Expression) => Expression): Expression {
  switch (expression.kind) {
    case 'repeat':
      return change({ ...expression, of: mapped(expression.of, change) })
    case 'sequence':
      return change(sequence(expression.of.map((part) => mapped(part, change))))
    case 'choice':
      return change({ kind: 'choice', of: expression.of.map((part) => mapped(part, change)) })
    default:
      return change(expression)
  }
}

/** Returns the alternatives: the parts of a choice, or the expression itself. */
export function waysOf(expression: Expression): readonly Expression[] {
  return expression.kind === 'choice' ? expression.of : [expression]
}

/** Returns the consecutive parts: those of a sequence, or the expression itself. */
export function partsOf(expression: Expression): readonly Expression[] {
  return expression.kind === 'sequence' ? expression.of : [expression]
}

/** Adds the rules that an expression uses to `names`, in order and with repetitions. */
export function collectNames(expression: Expression, names: string[]): void {
  switch (expression.kind) {
    case 'rule':
      names.push(expression.name)
      return
    case 'repeat':
      collectNames(expression.of, names)
      return
    case 'sequence':
    case 'choice':
      for (const part of expression.of) collectNames(part, names)
      return
    default:
  }
}
