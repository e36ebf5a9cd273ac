import type { ParsedRequest } from '../../../core/responses/parsed-request.js'
import { isFields } from '../../../shared/fields.js'
import { RequestError } from '../../../shared/request-error.js'
import { sha256 } from '../../../shared/system/sha256.js'
import type { RequestKey } from '../../stores/store.js'
import { attach } from './kept.js'
import type { LiveResponse } from './running/live-response.js'
import type { Setup } from './setup.js'
import { OpeningRefused } from './storage/journal.js'

/** A request that its client may repeat. */
export interface RepeatableRequest {
  readonly request: ParsedRequest
  readonly owner: string
  readonly idempotencyKey: string
  /** As JSON. */
  readonly body: unknown
}

/**
 * Creates a response, or finds the one that the same request created before.
 *
 * @param create - throws OpeningRefused if another process was faster
 * @throws RequestError, also if the key belongs to another body
 */
export async function createOnce(
  setup: Setup,
  repeatable: RepeatableRequest,
  create: (key: RequestKey) => Promise<LiveResponse>,
): Promise<LiveResponse> {
  const { owner, idempotencyKey } = repeatable
  const key = { key: idempotencyKey, digest: await digestOf(repeatable.body) }
  const place = JSON.stringify([owner, idempotencyKey])
  for (;;) {
    // The first request may still wait for its turn. If it is refused, its key is free, and this request becomes the
    // first. Whatever its body, only the store knows who has the key: another process may be faster.
    const starting = setup.starting.get(place)
    if (starting === undefined) break
    await starting
  }
  const work = attachOrCreate(setup, repeatable, key, create)
  const over = work.then(
    () => {},
    () => {},
  )
  setup.starting.set(place, over)
  try {
    return await work
  } finally {
    setup.starting.delete(place)
  }
}

/** Returns the response of a key, or starts the first one with it. */
async function attachOrCreate(
  setup: Setup,
  { request, owner }: RepeatableRequest,
  key: RequestKey,
  create: (key: RequestKey) => Promise<LiveResponse>,
): Promise<LiveResponse> {
  for (;;) {
    for (const repository of [setup.durable, setup.transient]) {
      const known = await repository.store.findKey(key.key, owner)
      if (known === undefined) continue
      checkKey(known, key)
      return { ...(await attach(setup, repository, known.responseId, request, owner)), request }
    }
    try {
      return await create(key)
    } catch (error) {
      // Another process has begun with the same key meanwhile.
      if (!(error instanceof OpeningRefused) || error.opening.state !== 'key_taken') throw error
    }
  }
}

/** @throws RequestError if the key belongs to another body */
function checkKey(known: RequestKey, { digest }: RequestKey): void {
  if (known.digest === digest) return
  const message = 'The Idempotency-Key has been used for another request. Use a new key for a new request.'
  throw new RequestError(message, { status: 422, code: 'idempotency_key_reused' })
}

/** Returns a digest that is the same for equivalent bodies: the order of keys does not count. */
async function digestOf(body: unknown): Promise<string> {
  const text = JSON.stringify(body, (_key, value: unknown) =>
    isFields(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  )
  return sha256(text ?? '')
}
