import type { OfferedTool } from '../../endpoint/server/index.js'
import type { Tool } from '../../endpoint/tools/tool.js'

/** A built-in tool that `serve` runs by an option of its own. */
export interface HostedTool {
  readonly tool: Tool
  /** Declares it, for `--offer`. */
  readonly declaration: OfferedTool
  /** Lines about it for the operator. */
  readonly about: readonly string[]
  /** Ends what it has started. Absent if that is nothing. */
  close?(): void
}
