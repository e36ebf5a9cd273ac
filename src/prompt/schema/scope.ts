import type { Slices, Work } from '../../slices.js'
import type { Room } from './room.js'
import type { TypeNames } from './type-names.js'

/** A schema to render: its keywords, those of what its `$ref` points at included. */
export interface SchemaView {
  /** The schema itself. */
  readonly schema: unknown
  /** The value of a keyword, undefined if it is absent. The schema's own come before those of its `$ref`. */
  get(keyword: string): unknown
  /** What its `$ref`s point at, one after the other, which are written out with it. */
  readonly targets: readonly object[]
  /** The name of its type, if that is not written out again because it is recursive or has been often enough. */
  readonly typeName?: string
  /** A `$ref` that points at nothing in the document. */
  readonly unresolved?: string
  /** Whether it may be null, besides. */
  readonly isOptional: boolean
}

/** Where in a schema the renderer is, and what it knows of the rest. */
export interface Scope {
  /** The whole schema, which `$ref`s point into. */
  readonly document: unknown
  readonly room: Room
  /** What may be done before the next pause, in characters that are encoded. */
  readonly work: Work
  /** How much room was left when work was last counted. */
  counted: number
  /** The definitions that are being written out, from the outside in. */
  readonly path: object[]
  /** How often each definition was written out. */
  readonly uses: Map<object, number>
  /** How many characters each definition took that was written out. */
  readonly sizes: Map<object, number>
  /** The definitions that are referred to by name. */
  readonly names: TypeNames
  /** Whether the types of such definitions say their names: it is known by then which ones they are. */
  readonly isLabelled: boolean
  /** How many levels of types there are above. */
  level: number
  /** Renders a type that stands inside another. */
  readonly type: (view: SchemaView, indent: string) => Slices<string>
}

/** Counts the view's definitions as written out, and names those that are referred to: `// Node` before the type. */
export function label(
  { targets }: Pick<SchemaView, 'targets'>,
  indent: string,
  { uses, names, isLabelled }: Scope,
): string {
  for (const target of targets) uses.set(target, (uses.get(target) ?? 0) + 1)
  const known = isLabelled ? targets.map((target) => names.get(target)).filter((name) => name !== undefined) : []
  return known.map((name) => `${indent}// ${name}\n`).join('')
}

/** Puts the view's definitions on the path until it is left, so that `$ref`s to them inside it are recursive. */
export function enter({ targets }: SchemaView, scope: Scope): void {
  scope.path.push(...targets)
  scope.level += 1
}

export function leave({ targets }: SchemaView, scope: Scope): void {
  scope.level -= 1
  scope.path.length -= targets.length
}

/** Does work inside a view. */
export function* within<Result>(view: SchemaView, scope: Scope, run: () => Slices<Result>): Slices<Result> {
  enter(view, scope)
  const { left } = scope.room
  const result = yield* run()
  leave(view, scope)
  for (const target of view.targets) scope.sizes.set(target, left - scope.room.left)
  return result
}

/** What a character of a type takes, beside one that is encoded. */
const CHARACTER = 4

/** Counts what was written since the last time, and pauses where a slice is full. */
export function* pauseWhereDue(scope: Scope): Slices<void> {
  const { work, room } = scope
  work.left -= CHARACTER * (scope.counted - room.left)
  scope.counted = room.left
  if (work.left <= 0) yield* work.pause()
}
