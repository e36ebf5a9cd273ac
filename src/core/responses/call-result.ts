import type { BuiltinResults, CitedPage, FileCitation } from './items.js'

export type { CitedPage }

/** The result of a call that the host ran, including the data of built-in tools. A tool message is an `output`. */
export interface CallResult extends BuiltinResults {
  /** The tool's text. */
  readonly output?: string
  /** Why the call failed. A numeric `code` is the MCP protocol's, or a command's exit code. */
  readonly error?: { readonly code?: string | number; readonly message: string }
}

/** The files of passages that the model can cite, by the keys of their marks. Plain JSON. */
export interface CitableFiles {
  readonly [mark: string]: Pick<FileCitation, 'file_id' | 'filename'>
}
