import type { CodeOutput, ShellOutput } from './items.js'

/** A page that the model's browser showed, with the cursor by which the model refers to it. */
export interface CitedPage {
  readonly cursor: number
  readonly url: string
  /** Default: the page's domain. */
  readonly title?: string
}

/** The result of a call that the host ran. A tool message of the transcript is an `output`. */
export interface CallResult {
  /** The tool's text. */
  readonly output?: string
  /** For a code interpreter: the code's output, and its images. */
  readonly outputs?: readonly CodeOutput[]
  /** For a web search: its sources. Sent if the request includes `web_search_call.action.sources`. */
  readonly sources?: readonly { readonly url: string }[]
  /** For a web search: the pages that the model saw, with the cursors by which it may cite them. */
  readonly pages?: readonly CitedPage[]
  /** For a shell: the output and the outcome of each command. */
  readonly shell?: readonly ShellOutput[]
  /** Why the call failed. A numeric `code` is the MCP protocol's, or a command's exit code. */
  readonly error?: { readonly code?: string | number; readonly message: string }
}
