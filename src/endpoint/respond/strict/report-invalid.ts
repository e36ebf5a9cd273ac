import type { ResponseStreamEvent } from '../../../core/responses/events.js'
import type { OutputItem } from '../../../core/responses/items.js'
import { callSafely } from '../../../shared/call-safely.js'
import { type Pause, withPauses } from '../../../shared/slices.js'
import type { InvalidOutput } from '../options.js'
import { partOfItem, type StrictPart } from './strict-parts.js'

export interface ReporterOptions {
  readonly onInvalidOutput: (invalid: InvalidOutput) => void
  readonly onError: (error: unknown) => void
  /** Lets other work run between two slices of a check. */
  readonly pause: Pause
  /** Returns the bodies that have a schema or a format. */
  readonly parts: () => readonly StrictPart[]
}

/** Reports complete items that violate a schema or format of the request to the host. */
export interface InvalidReporter {
  /** Begins the check of the items that these events complete. The events need not wait for it. */
  read(events: readonly ResponseStreamEvent[]): void
  /** Resolves when all checks have ended. Never rejects. */
  done(): Promise<void>
}

/** Creates a reporter, which checks one item at a time. */
export function createInvalidReporter({ onInvalidOutput, onError, pause, parts }: ReporterOptions): InvalidReporter {
  let latest = Promise.resolve()

  async function report({ part, text }: FoundPart, itemId: string): Promise<void> {
    try {
      // Late, with its validator of schemas: most responses have nothing to check.
      const { checkOutput } = await import('./check-output.js')
      const errors = await withPauses(checkOutput(text, part.constraint), pause)
      if (errors.length > 0) callSafely(onInvalidOutput, { itemId, what: part.param, errors }, onError)
    } catch (error) {
      onError(new Error(`${part.param}: the output of the model cannot be checked`, { cause: error }))
    }
  }

  return {
    read(events) {
      for (const event of events) {
        if (event.type !== 'response.output_item.done') continue
        const item = event.item as OutputItem
        const found = partOfItem(item, parts())
        if (found !== undefined) latest = latest.then(() => report(found, item.id ?? ''))
      }
    },
    done: () => latest,
  }
}

type FoundPart = NonNullable<ReturnType<typeof partOfItem>>
