import type { ItemFields } from '../wire-fields.js'

/** A shell on the client's own machine, which the client runs. */
export interface LocalShellTool {
  readonly type: 'local_shell'
}

/**
 * A command for the client's own machine, as an output item. `command` is a program and its arguments; `timeout_ms` is
 * in
 * milliseconds.
 */
export interface LocalShellCallItem extends ItemFields {
  type: 'local_shell_call'
  call_id: string
  action: {
    type: 'exec'
    command: string[]
    env: { [name: string]: string }
    timeout_ms?: number | null
    user?: string | null
    working_directory?: string | null
  }
}

/** The wire form of `local_shell`. The client sends its result. */
export interface LocalShellWire {
  tool: LocalShellTool
  item: LocalShellCallItem
  event: never
  result: object
}

declare module './wires.js' {
  interface BuiltinWires {
    local_shell: LocalShellWire
  }
}
