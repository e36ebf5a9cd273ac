import type { Option } from '../options/option.js'

/** What `--workers` makes of another option. */
export interface Sharing {
  /**
   * `same`: it has the same effect in each worker; `one`: there is one for all; `each`: each worker has its own; `refused`:
   * it cannot be given.
   */
  readonly is: 'same' | 'one' | 'each' | 'refused'
  /** How, unless it is the same; or why it is refused. */
  readonly about?: string
  /** Whether each worker reads the file that it names: standard input, or a pipe, can be read once. */
  readonly isRead?: true
}

/** An option of `serve`. */
export type ServeOption = Option & { readonly workers: Sharing }
