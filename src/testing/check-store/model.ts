import type { ConversationTurn, ResponseStore } from '../../endpoint/stores/store.js'
import type { Stores } from './rules.js'
import { Broken, block, entriesNow, expectSame, finished, item, LONG } from './world.js'

const OPS = [
  'open',
  'append',
  'end',
  'claim',
  'expired',
  'find',
  'entries',
  'delete',
  'lineage',
  'key',
  'items',
  'conversation',
  'end-conversation',
] as const

/** @inline */
type Op = (typeof OPS)[number]

/** One call, as it is drawn: numbers, which the model reads in its own way. */
export interface StoreCall {
  /** The operation. */
  readonly op: Op
  /** The id of the response. */
  readonly id: string
  /** The owner who asks. */
  readonly owner: string
  /** The response that an opened one continues; undefined if it begins a conversation. */
  readonly previous: string | undefined
  /** The named conversation; undefined if an opened response is in none. */
  readonly conversation: string | undefined
  /** The epoch of the lease with which entries are appended. */
  readonly epoch: number
  /** The index at which entries are appended; for a key, which of four. */
  readonly at: number
  /** How many entries are appended. */
  readonly count: number
  /** How long the lease lasts; 0 if it has expired at once. */
  readonly leaseSeconds: number
  /** Whether the other process makes it. */
  readonly isOther: boolean
  /** Whether a lease is claimed that another process still holds. */
  readonly isForced: boolean
}

/** Draws a whole number below a bound. */
export type Draw = (below: number) => number

/** Draws numbers from a seed: mulberry32, by Tommy Ettinger. */
export function drawFrom(seed: number): Draw {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

export function drawCalls(draw: Draw): StoreCall[] {
  const one = <Value>(...values: readonly Value[]): Value => values[draw(values.length)] as Value
  return Array.from({ length: 1 + draw(40) }, () => ({
    op: one<Op>(...OPS, 'open', 'append', 'append', 'end'),
    id: one('r1', 'r2', 'r3', 'r4'),
    owner: one('ann', 'ann', 'ann', 'bob'),
    previous: one(undefined, 'r1', 'r2', 'r3', 'r4'),
    conversation: one(undefined, undefined, undefined, undefined, 'c1', 'c1', 'c2'),
    epoch: one(1, 1, 1, 2, 3),
    at: draw(4),
    count: draw(3),
    leaseSeconds: one(LONG, LONG, 0),
    isOther: draw(2) === 0,
    isForced: draw(3) === 0,
  }))
}

interface ModelResponse {
  readonly id: string
  readonly owner: string
  readonly previous: string | undefined
  readonly key: string
  /** The named conversation that it was opened in. */
  readonly named: ModelConversation | undefined
  epoch: number
  isHeld: boolean
  entries: number[]
  isFinished: boolean
  isDeleted: boolean
  status: 'running' | 'completed' | 'failed'
}

interface ModelConversation {
  readonly name: string
  last: string | undefined
  open: string | undefined
}

/** A model of a store that evicts nothing. */
class Model {
  readonly all = new Map<string, ModelResponse>()
  readonly named = new Map<string, ModelConversation>()

  own(id: string, owner: string): ModelResponse | undefined {
    const response = this.all.get(id)
    return response?.owner === owner && !response.isDeleted ? response : undefined
  }

  withKey(key: string, owner: string): ModelResponse | undefined {
    return [...this.all.values()].find((each) => each.owner === owner && each.key === key && !each.isDeleted)
  }

  /** Returns the ids of the finished responses of a lineage, from the first one on. */
  lineage(id: string | undefined): string[] {
    const response = id === undefined ? undefined : this.all.get(id)
    if (response === undefined) return []
    return [...this.lineage(response.previous), ...(response.isFinished ? [response.id] : [])]
  }

  /** Frees the conversation that a response was open in, or ends the one whose last response is deleted. */
  leave({ id, named, isDeleted, status }: ModelResponse): void {
    if (named === undefined || this.named.get(named.name) !== named) return
    if (named.open === id && !isDeleted && status === 'completed') named.last = id
    if (named.open === id) named.open = undefined
    if (named.last === undefined || (named.last === id && isDeleted)) this.named.delete(named.name)
  }

  /** Drops deleted responses without continuations. */
  prune(): void {
    for (let before = -1; before !== this.all.size; ) {
      before = this.all.size
      const needed = new Set([...this.all.values()].map(({ previous }) => previous))
      for (const [id, { isDeleted }] of this.all) if (isDeleted && !needed.has(id)) this.all.delete(id)
    }
  }
}

/** Plays calls against a store and the model of one. @throws Broken where they differ */
export async function obeysModel({ store, other }: Stores, calls: readonly StoreCall[]): Promise<void> {
  const model = new Model()
  for (const [number, call] of calls.entries()) {
    await play(call, number, call.isOther ? other : store, model)
    model.prune()
  }
}

/** Returns the turn in the conversation of a call, in stores that have any. */
function turnOf({ conversation, previous }: StoreCall, store: ResponseStore): ConversationTurn | undefined {
  if (conversation === undefined || store.conversations === undefined) return undefined
  if (previous !== undefined) return { conversationId: conversation, last: previous }
  return { conversationId: conversation, facts: { created_at: 1, metadata: {} } }
}

async function play(call: StoreCall, number: number, store: ResponseStore, model: Model): Promise<void> {
  const { op, id, owner, previous, leaseSeconds } = call
  const what = `call ${number}, ${op} ${id} of ${owner}`
  const own = model.own(id, owner)
  const lease = { responseId: id, owner, epoch: call.epoch }
  const there = own?.entries.length ?? 0
  const isLost = own === undefined || own.epoch !== call.epoch || own.isFinished
  const expected = isLost
    ? { state: 'lost' }
    : call.at === there
      ? { state: 'written' }
      : { state: 'behind', count: there }
  const isDone = expected.state === 'written' && own !== undefined
  const added = Array.from({ length: call.count }, (_, index) => (number * 4 + index) % 256)
  switch (op) {
    case 'open': {
      const key = `key of ${call.at}`
      const from = previous === undefined ? undefined : model.own(previous, owner)
      const holder = model.withKey(key, owner)
      const name = JSON.stringify([owner, call.conversation])
      const named = model.named.get(name)
      // A conversation begins anew with a response that continues none.
      const turn = turnOf(call, store)
      const isAnew = call.isForced && turn !== undefined
      const mayTurn =
        previous === undefined ? named === undefined : named?.last === previous && named.open === undefined
      const state = model.all.has(id)
        ? 'exists'
        : previous !== undefined && !isAnew && !from?.isFinished
          ? 'no_previous'
          : turn !== undefined && !mayTurn
            ? 'moved'
            : holder !== undefined
              ? 'key_taken'
              : 'opened'
      const response = { responseId: id, owner, entries: block(...added), key: { key, digest: 'd' }, leaseSeconds }
      const opening = await store.open({
        ...response,
        ...(previous !== undefined && !isAnew && { previous }),
        ...(turn && { conversation: turn }),
      })
      expectSame(opening.state, state, what)
      if (opening.state === 'key_taken') expectSame(opening.by.responseId, holder?.id, what)
      if (opening.state !== 'opened') return
      expectSame(opening.lease, { responseId: id, owner, epoch: 1 }, what)
      const states = { epoch: 1, isHeld: leaseSeconds > 0, entries: added, isFinished: false, isDeleted: false }
      const taken = turn && (named ?? { name, last: undefined, open: undefined })
      if (taken !== undefined) {
        taken.open = id
        model.named.set(name, taken)
      }
      const opened = { id, owner, previous: isAnew ? undefined : previous, key, named: taken, ...states }
      model.all.set(id, { ...opened, status: 'running' })
      return
    }
    case 'append': {
      const entries = call.count > 0 ? { entries: block(...added) } : {}
      const [appended] = await store.append([{ lease, at: call.at, ...entries, leaseSeconds }])
      expectSame(appended, expected, what)
      if (!isDone) return
      for (const entry of added) own.entries.push(entry)
      own.isHeld = leaseSeconds > 0
      return
    }
    case 'end': {
      const status = call.count === 0 ? 'failed' : 'completed'
      const became = { finished: finished([item(`msg_${id}`)], [], status) }
      const [appended] = await store.append([{ lease, at: call.at, end: became, leaseSeconds }])
      expectSame(appended, expected, what)
      if (!isDone) return
      own.isFinished = true
      own.status = status
      model.leave(own)
      return
    }
    case 'claim': {
      const mayClaim = own !== undefined && !own.isFinished && (call.isForced || !own.isHeld)
      const claimed = await store.claim({ responseId: id, owner, leaseSeconds, isForced: call.isForced })
      if (mayClaim) {
        own.epoch += 1
        own.isHeld = leaseSeconds > 0
      }
      expectSame(
        claimed,
        mayClaim ? { lease: { responseId: id, owner, epoch: own.epoch }, count: there } : undefined,
        what,
      )
      return
    }
    case 'expired': {
      const listed = (await store.expired(10)).map(({ responseId }) => responseId).sort()
      const over = [...model.all.values()].filter((each) => !each.isDeleted && !each.isFinished && !each.isHeld)
      expectSame(listed, over.map((each) => each.id).sort(), what)
      return
    }
    case 'find':
      expectSame((await store.find(id, owner))?.state, own && (own.isFinished ? 'finished' : 'running'), what)
      return
    case 'lineage': {
      const found = await store.lineage(id, owner)
      const ids = found?.responses.flatMap(({ added: items }) => items.map((each) => each.id))
      expectSame(ids, own && model.lineage(id).map((each) => `msg_${each}`), what)
      return
    }
    case 'items': {
      const found = await store.findItem(`msg_${id}`, owner)
      expectSame(found?.responseId, own?.isFinished ? id : undefined, what)
      return
    }
    case 'key':
      expectSame(
        (await store.findKey(`key of ${call.at}`, owner))?.responseId,
        model.withKey(`key of ${call.at}`, owner)?.id,
        what,
      )
      return
    case 'entries':
      expectSame(await entriesNow(store, there, { responseId: id, owner }), own?.entries, what)
      return
    case 'delete':
      expectSame(await store.delete(id, owner), own !== undefined, what)
      if (own === undefined) return
      own.isDeleted = true
      model.leave(own)
      return
    case 'conversation': {
      const named = model.named.get(JSON.stringify([owner, call.conversation]))
      const found = await store.conversations?.find(call.conversation ?? '', owner)
      if (store.conversations === undefined) return
      expectSame([found?.last, found?.open], [named?.last, named?.last && named.open], what)
      return
    }
    case 'end-conversation': {
      const name = JSON.stringify([owner, call.conversation])
      const isThere = model.named.get(name)?.last !== undefined
      if (store.conversations === undefined) return
      expectSame(await store.conversations.delete(call.conversation ?? '', owner), isThere, what)
      if (isThere) model.named.delete(name)
      return
    }
    default:
      throw new Broken(`no such call: ${op satisfies never}`)
  }
}
