import type { Slices, Work } from '../../../shared/slices.js'
import type { Room } from './room.js'
import type { TypeNames } from './type-names.js'

/** A schema to render: its keywords, including those of its `$ref`'s target. */
export interface SchemaView {
  /** The schema itself. */
  readonly schema: unknown
  /**
   * Returns the value of a keyword, undefined if it is absent. The schema's own keywords precede those of its `$ref`.
   */
  get(keyword: string): unknown
  /** The targets of its `$ref`s, one after the other, which are written out with it. */
  readonly targets: readonly object[]
  /**
   * The name of its type, if that is not written out again because it is recursive or has been written often enough.
   */
  readonly typeName?: string
  /** A `$ref` without a target in the document. */
  readonly unresolved?: string
  /** Whether it may also be null. */
  readonly isOptional: boolean
}

/** The renderer's position in a schema, and its state. */
export interface Scope {
  /** The whole schema, which is the target of `$ref`s. */
  readonly document: unknown
  readonly room: Room
  /** The work left before the next pause, in encoded characters. */
  readonly work: Work
  /** The room that was left when work was last counted. */
  counted: number
  /** The definitions that are being written out, from the outside in. */
  readonly path: object[]
  /** How often each definition was written out. */
  readonly uses: Map<object, number>
  /** How many characters each written definition took. */
  readonly sizes: Map<object, number>
  /** The definitions that are referred to by name. */
  readonly names: TypeNames
  /** Whether the types of such definitions are labelled, which requires knowing which ones they are. */
  readonly isLabelled: boolean
  /** The number of enclosing types. */
  level: number
  /** Renders a nested type. */
  readonly type: (view: SchemaView, indent: string) => Slices<string>
}

/**
 * Counts the view's definitions as written out, and labels those that are referred to by name: `// Node` before the
 * type.
 */
export function label(
  { targets }: Pick<SchemaView, 'targets'>,
  indent: string,
  { uses, names, isLabelled }: Scope,
): string {
  for (const target of targets) uses.set(target, (uses.get(target) ?? 0) + 1)
  const known = isLabelled ? targets.map((target) => names.get(target)).filter((name) => name !== undefined) : []
  return known.map((name) => `${indent}// ${name}\n`).join('')
}

/** Adds the view's definitions to the path until it is left, so that `$ref`s to them inside it are recursive. */
export function enter({ targets }: SchemaView, scope: Scope): void {
  for (const target of targets) scope.path.push(target)
  scope.level += 1
}

export function leave({ targets }: SchemaView, scope: Scope): void {
  scope.level -= 1
  scope.path.length -= targets.length
}

/** Runs work inside a view. */
export function* within<Result>(view: SchemaView, scope: Scope, run: () => Slices<Result>): Slices<Result> {
  enter(view, scope)
  const { left } = scope.room
  const result = yield* run()
  leave(view, scope)
  for (const target of view.targets) scope.sizes.set(target, left - scope.room.left)
  return result
}

/** The cost of a character of a type, relative to encoding one. */
const CHARACTER = 4

/** Counts the characters written since the last call, and pauses when a slice is full. */
export function* pauseWhereDue(scope: Scope): Slices<void> {
  const { work, room } = scope
  work.left -= CHARACTER * (scope.counted - room.left)
  scope.counted = room.left
  if (work.left <= 0) yield* work.pause()
}
