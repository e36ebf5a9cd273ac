import type { AllowedCallers, ItemFields, OfCommand, OfItem } from '../wire-fields.js'

/** A shell. The host runs its commands if it has a container, the client otherwise. */
export interface ShellTool {
  readonly type: 'shell'
  readonly environment?: { readonly type: string; readonly container_id?: string } | null
  readonly allowed_callers?: AllowedCallers | null
}

/** Where shell commands run: in a container of the host's, or on the client's machine. */
export type ShellEnvironment = { type: 'container_reference'; container_id: string } | { type: 'local' }

/** Commands for a shell, as an output item. Without a container of the host, the client runs them. */
export interface ShellCallItem extends ItemFields {
  type: 'shell_call'
  call_id: string
  action: {
    commands: string[]
    /** Milliseconds. */
    timeout_ms: number | null
    /** Characters. */
    max_output_length: number | null
  }
  environment: ShellEnvironment | null
}

/** The output and the outcome of one command of a shell call. */
export interface ShellOutput {
  stdout: string
  stderr: string
  outcome: { type: 'exit'; exit_code: number } | { type: 'timeout' }
}

/** The result of a shell call that the host ran: one output for each command, in the order of the commands. */
export interface ShellCallOutputItem extends ItemFields {
  type: 'shell_call_output'
  /** `call_id` of the shell call that it answers. */
  call_id: string
  output: ShellOutput[]
  max_output_length: number | null
}

/** A command of a shell call is added: the first of its three events, which come once the whole call is known. */
export interface ShellCallCommandAddedEvent extends OfCommand {
  type: 'response.shell_call_command.added'
  command: string
}
/** The text of a command, in `delta`. */
export interface ShellCallCommandDeltaEvent extends OfCommand {
  type: 'response.shell_call_command.delta'
  delta: string
}
/** The complete command, in `command`. */
export interface ShellCallCommandDoneEvent extends OfCommand {
  type: 'response.shell_call_command.done'
  command: string
}
/** The next piece of what a command printed, of either stream. */
export interface ShellCallOutputContentDeltaEvent extends OfItem {
  type: 'response.shell_call_output_content.delta'
  command_index: number
  delta: { stdout?: string; stderr?: string }
}
/** The complete output of a command, with its outcome. */
export interface ShellCallOutputContentDoneEvent extends OfItem {
  type: 'response.shell_call_output_content.done'
  command_index: number
  output: ShellOutput[]
}

/** The wire form of `shell`, without the item of its result. */
export interface ShellWire {
  tool: ShellTool
  item: ShellCallItem
  event: ShellCallCommandAddedEvent | ShellCallCommandDeltaEvent | ShellCallCommandDoneEvent
  result: {
    /** For a shell: the output and the outcome of each command. */
    readonly shell?: readonly ShellOutput[]
  }
}

declare module './wires.js' {
  interface BuiltinWires {
    shell: ShellWire
  }
}
