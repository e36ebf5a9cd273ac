import { type Signal, signal } from '@preact/signals'
import type {
  AdminNow,
  AdminPart,
  AdminParts,
  AdminRequest,
  AdminRequests,
  AdminSeries,
} from '../../endpoint/server/admin/types.js'
import { reasonOf } from '../api/send.js'
import { askOperator, forgetKey } from './gate.js'
import { addRequests } from './known-requests.js'
import { keepAsking } from './refresh.js'
import { placeRunning, type Slot } from './slots.js'

/** What the server last said. Undefined before its first answer. */
export const now: Signal<AdminNow | undefined> = signal<AdminNow | undefined>(undefined)
export const slots: Signal<readonly Slot[]> = signal<readonly Slot[]>([])
export const series: Signal<AdminSeries | undefined> = signal<AdminSeries | undefined>(undefined)
export const parts: Signal<readonly AdminPart[] | undefined> = signal<readonly AdminPart[] | undefined>(undefined)
/** The last requests, newest first. */
export const requests: Signal<readonly AdminRequest[]> = signal<readonly AdminRequest[]>([])

/** Why figures could not be read, by what was asked for. */
export const troubles: Signal<Readonly<Record<string, string>>> = signal<Readonly<Record<string, string>>>({})

/** How long after an answer it is asked for again, in seconds: the series has a new interval every ten. */
const SECONDS = { now: 2, requests: 4, series: 10, parts: 30 } as const

/** The number of the last request that is known. */
let last = 0

const ASK: Readonly<Record<keyof typeof SECONDS, (signal: AbortSignal) => Promise<void>>> = {
  async now(signal) {
    const answer = await askOperator<AdminNow>('now', signal)
    slots.value = placeRunning(slots.value, answer)
    now.value = answer
  },
  async requests(signal) {
    for (let hasMore = true; hasMore; ) {
      const answer = await askOperator<AdminRequests>(`requests?limit=1000&after=${last}`, signal)
      requests.value = addRequests(requests.value, answer.data)
      last = answer.last
      hasMore = answer.has_more
    }
  },
  async series(signal) {
    series.value = await askOperator<AdminSeries>('series', signal)
  },
  async parts(signal) {
    parts.value = (await askOperator<AdminParts>('parts', signal)).data
  },
}

/** Keeps the figures new until the signal aborts. */
export function refresh(signal: AbortSignal): void {
  troubles.value = {}
  for (const [name, seconds] of Object.entries(SECONDS)) {
    keepAsking(() => take(name as keyof typeof SECONDS, signal), seconds, signal)
  }
}

async function take(name: keyof typeof SECONDS, signal: AbortSignal): Promise<void> {
  try {
    await ASK[name](signal)
    const { [name]: _, ...others } = troubles.value
    troubles.value = others
  } catch (error) {
    if (!signal.aborted) troubles.value = { ...troubles.value, [name]: reasonOf(error) }
  }
}

/** Forgets the operator's key, and all that was read with it. */
export async function forget(): Promise<void> {
  now.value = undefined
  slots.value = []
  series.value = undefined
  parts.value = undefined
  requests.value = []
  troubles.value = {}
  last = 0
  await forgetKey()
}
