import type { Batch } from '../../../core/responses/batch.js'
import type { Pause } from '../../../shared/slices.js'
import type { RespondOptions } from '../options.js'
import type { InvalidReporter } from './report-invalid.js'
import type { StrictPart } from './strict-parts.js'

export interface InvalidReportsOptions {
  /** Undefined if nobody wants to know. */
  readonly onInvalidOutput: RespondOptions['onInvalidOutput'] | undefined
  readonly onError: (error: unknown) => void
  readonly pause: Pause
  /** Returns the bodies that have a schema or a format. */
  readonly parts: () => readonly StrictPart[]
}

/**
 * Checks the output of one response. Loads what checks bodies, with its validator of schemas, once something is to be
 * checked: most responses have nothing.
 */
export class InvalidReports {
  readonly #options: InvalidReportsOptions
  #reporter: InvalidReporter | undefined

  constructor(options: InvalidReportsOptions) {
    this.#options = options
  }

  async load(): Promise<void> {
    const { onInvalidOutput, onError, pause, parts } = this.#options
    if (this.#reporter !== undefined || onInvalidOutput === undefined || parts().length === 0) return
    const { createInvalidReporter } = await import('./report-invalid.js')
    this.#reporter = createInvalidReporter({ onInvalidOutput, onError, pause })
  }

  /** Begins the check of the items that these events complete. */
  read(batch: Batch): void {
    this.#reporter?.read(batch, this.#options.parts())
  }

  /** Resolves when all checks have ended. Never rejects. */
  async done(): Promise<void> {
    await this.#reporter?.done()
  }
}
