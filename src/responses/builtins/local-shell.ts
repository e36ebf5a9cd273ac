import type { ItemStatus } from '../wire-fields.js'

/** Commands that the client runs on its own machine. */
export interface LocalShellTool {
  readonly type: 'local_shell'
}

export interface LocalShellCallItem {
  type: 'local_shell_call'
  id: string
  status: ItemStatus
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

/** What `local_shell` adds to the wire. The client sends its result. */
export interface LocalShellWire {
  tool: LocalShellTool
  item: LocalShellCallItem
  event: never
  result: object
}
