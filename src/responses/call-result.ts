import type { BuiltinResults, CitedPage } from './items.js'

export type { CitedPage }

/** The result of a call that the host ran, including the data of built-in tools. A tool message is an `output`. */
export interface CallResult extends BuiltinResults {
  /** The tool's text. */
  readonly output?: string
  /** Why the call failed. A numeric `code` is the MCP protocol's, or a command's exit code. */
  readonly error?: { readonly code?: string | number; readonly message: string }
}
