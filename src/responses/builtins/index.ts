export type * from './apply-patch.js'
export type * from './code-interpreter.js'
export type * from './file-search.js'
export type * from './local-shell.js'
export type * from './shell.js'
export type * from './web-search.js'

import type { ApplyPatchWire } from './apply-patch.js'
import type { CodeInterpreterWire } from './code-interpreter.js'
import type { FileSearchWire } from './file-search.js'
import type { LocalShellWire } from './local-shell.js'
import type { ShellWire } from './shell.js'
import type { WebSearchWire } from './web-search.js'

/**
 * What each built-in tool adds to the wire, by the type with which a request declares it: its declaration,
 * its item, the events of it, and what a result of it may have. A line here makes the compiler ask for the tool's descriptor and for the kind of its item.
 */
export interface BuiltinWires {
  code_interpreter: CodeInterpreterWire
  web_search: WebSearchWire
  file_search: FileSearchWire
  shell: ShellWire
  local_shell: LocalShellWire
  apply_patch: ApplyPatchWire
}

type Wire = BuiltinWires[keyof BuiltinWires]

/** The items of calls of built-in tools, by their `type`. */
export type BuiltinItems = { [Type in Wire['item']['type']]: Extract<Wire['item'], { type: Type }> }

/** The events of each between `output_item.added` and `output_item.done`. */
export type BuiltinEvents = { [Type in Wire['item']['type']]: Extract<Wire, { item: { type: Type } }>['event'] }

/** Of a union, what has the fields of all. */
type AllOf<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never

/** What results may have. */
export type BuiltinResults = AllOf<Wire['result']>
