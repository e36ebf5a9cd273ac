import type { Batch } from '../../../../core/responses/batch.js'
import { type Queue, queue, type Write } from '../../../flow/queue.js'
import { LiveEvents, type LiveEventsOptions } from './live-events.js'

/** Where the batches of a response go, and who waits for whom. */
export interface Outlet {
  /** The events for the requester, their first reader. */
  readonly events: AsyncGenerator<Batch>
  /** Starts the response. */
  begin(): void
  /** Lets the response run to its end without waiting for its reader. */
  finish(): void
}

type RunTo = (write: Write<Batch>) => Promise<void>

/**
 * A response that waits for its reader. Once begun, it is ended and stored even without one.
 *
 * @param onLeave - called once if the reader leaves before the end
 */
export function waitingOutlet(run: RunTo, onLeave: () => void): Outlet {
  const events = queue(run, onLeave, { runsAnyway: true }) as Queue<Batch, void>
  return { events, begin: () => events.begin(), finish: () => events.finish() }
}

/** A response that runs without waiting for its readers: the first has its events as they are shown. */
export function liveOutlet(run: RunTo, options: LiveEventsOptions): Outlet {
  const live = new LiveEvents(options)
  return { events: live.events, begin: () => runAlone(run, live), finish() {} }
}

/** A response that another process began: its readers follow the store. */
export function storedOutlet(run: RunTo): Outlet {
  return { events: nothing(), begin: () => runAlone(run, { push() {}, end() {} }), finish() {} }
}

/** Its errors were reported where they were caught. */
function runAlone(run: RunTo, live: Pick<LiveEvents, 'push' | 'end'>): void {
  const end = (): void => live.end()
  run((batch) => live.push(batch)).then(end, end)
}

async function* nothing(): AsyncGenerator<Batch> {}
