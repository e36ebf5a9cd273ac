import type { FoundConversation } from '../../../stores/store.js'
import type { Caller } from '../caller.js'
import { conversationLocked, findNamed, isLocked } from '../conversation/named-conversation.js'
import type { Setup } from '../setup.js'

type Waiting = Pick<Caller, 'owner' | 'signal'>

/** The least time between two looks at a conversation. */
const LOOK_MS = 25

/**
 * Changes a conversation when no response is open in it: now, or as soon as those that are open have ended.
 *
 * @param change - may throw the error of a locked conversation, if another process was faster
 * @throws RequestError if there is no such conversation, or it is locked for too long; the error of `change`
 */
export async function inTurn<Made>(
  setup: Setup,
  conversationId: string,
  caller: Waiting,
  change: (found: FoundConversation) => Promise<Made>,
): Promise<Made> {
  const { conversationSeconds = 0 } = setup.options.limits ?? {}
  const until = performance.now() + conversationSeconds * 1000
  for (;;) {
    const found = await findNamed(setup.durable.store, conversationId, caller.owner)
    try {
      if (found.open !== undefined) throw conversationLocked(conversationId)
      return await change(found)
    } catch (error) {
      const left = until - performance.now()
      if (!isLocked(error) || left <= 0) throw error
      await waitFor(setup, found.open, caller, left, error)
    }
  }
}

/** Waits until a response has ended, or for so long. @throws the refusal if too many wait; the signal's reason */
async function waitFor(
  setup: Setup,
  responseId: string | undefined,
  { owner, signal }: Waiting,
  left: number,
  refusal: unknown,
): Promise<void> {
  const { waits, options } = setup
  if (waits.waiting >= (options.limits?.conversationWaits ?? 256)) throw refusal
  signal?.throwIfAborted()
  const stop = new AbortController()
  const enough = new Promise<void>((resolve) => {
    for (const each of [stop.signal, signal]) each?.addEventListener('abort', () => resolve(), { signal: stop.signal })
    stop.signal.addEventListener('abort', () => resolve())
    const timer = setTimeout(resolve, left)
    stop.signal.addEventListener('abort', () => clearTimeout(timer))
  })
  waits.waiting += 1
  try {
    const ended = responseId === undefined ? undefined : endOf(setup, responseId, owner, stop.signal)
    await Promise.race([enough, Promise.all([ended, delay(LOOK_MS)])])
  } finally {
    waits.waiting -= 1
    stop.abort()
  }
  signal?.throwIfAborted()
}

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Resolves when a response has ended: here, or in another process. */
async function endOf({ runs, durable }: Setup, responseId: string, owner: string, signal: AbortSignal): Promise<void> {
  const run = runs.get(responseId)
  if (run?.isLost === false) return await run.ended
  const blocks = await durable.store.entries(responseId, owner, Number.MAX_SAFE_INTEGER)
  const reader = blocks?.[Symbol.asyncIterator]()
  if (reader === undefined) return
  signal.addEventListener('abort', () => void reader.return?.().catch(() => {}))
  if (signal.aborted) return
  while (!(await reader.next()).done);
}
