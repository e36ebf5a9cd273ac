export type * from './apply-patch.js'
export type * from './code-interpreter.js'
export type * from './file-search.js'
export type * from './local-shell.js'
export type * from './shell.js'
export type * from './web-search.js'

/**
 * The wire form of each built-in tool, by the type with which a request declares it: its declaration, its item, the item's
 * events, and the data of its results. The compiler then demands the tool's descriptor and the kind of its item.
 */
export interface BuiltinWires {
  code_interpreter: import('./code-interpreter.js').CodeInterpreterWire
  web_search: import('./web-search.js').WebSearchWire
  file_search: import('./file-search.js').FileSearchWire
  shell: import('./shell.js').ShellWire
  local_shell: import('./local-shell.js').LocalShellWire
  apply_patch: import('./apply-patch.js').ApplyPatchWire
}

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
