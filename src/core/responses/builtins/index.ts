import type { BuiltinWires } from './wires.js'

/* One line per built-in tool: its file also adds its line to `BuiltinWires`. */

export type * from './apply-patch.js'
export type * from './code-interpreter.js'
export type * from './file-search.js'
export type * from './local-shell.js'
export type * from './shell.js'
export type * from './web-search.js'
export type { BuiltinWires }

/** @inline */
type Wire = BuiltinWires[keyof BuiltinWires]

/** The items of calls of built-in tools, by `type`. */
export type BuiltinItems = { [Type in Wire['item']['type']]: Extract<Wire['item'], { type: Type }> }

/** The events of each item between `output_item.added` and `output_item.done`. */
export type BuiltinEvents = { [Type in Wire['item']['type']]: Extract<Wire, { item: { type: Type } }>['event'] }

/** Turns a union into an intersection. */
type AllOf<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never

/** The data that results can contain. */
export type BuiltinResults = AllOf<Wire['result']>
