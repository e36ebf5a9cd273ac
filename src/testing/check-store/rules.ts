import type { Append, ConversationIndex, NewResponse, OpenResult, ResponseStore } from '../../endpoint/stores/store.js'
import {
  append,
  Broken,
  block,
  chain,
  end,
  entriesNow,
  expectSame,
  finished,
  item,
  keep,
  LONG,
  lineageOf,
  NEW,
  open,
  read,
  textOf,
} from './world.js'

/** The rules that every store keeps. */
export const STORE_RULES = {
  'opens-once': 'A response whose id is known is not opened, also for another owner, and changes nothing.',
  'opens-whole':
    'Entries, approvals, the key and the predecessor are taken in one step with the opening, or none of them.',
  'appends-fenced': 'An append succeeds only if the writer has the latest lease and knows the number of entries.',
  'appends-apart': 'In one step, an append of a stale writer is refused, and those of the others succeed.',
  'ends-once': 'Entries after the end are refused, and a response that has ended cannot be claimed.',
  'ends-whole':
    'The last entries, the block that replaces all of them and the finished response are written in one step.',
  'claims-expired':
    'A lease can be claimed once it has expired, or by force; the previous writer is refused from then on.',
  'lists-expired': 'The responses in progress without a valid lease are listed, and no others.',
  follows: 'A reader gets each entry once, in order, from its position to the end, also those of another process.',
  'reader-leaves': 'A reader that leaves ends at once, and the others continue.',
  'owners-apart': 'The data of an owner is invisible to every other owner.',
  'walks-lineage':
    'The lineage of a response has the responses that it continues, the first one first, in each branch.',
  'goes-on-from-kept': 'No response can continue one that is missing, unfinished, deleted or of another owner.',
  deletes:
    'A deleted response is never found; its additions stay for the responses that continue it, until the last of them is deleted.',
  'finds-items':
    'The items of finished responses are found as long as one has them; a copy never replaces the original.',
  'approvals-once':
    'An approval is consumed once, even by simultaneous requests; several are consumed together, or none.',
  'keys-once': 'A key belongs to one response of an owner, and is deleted with it.',
  'conversations-move':
    'A completed or incomplete response becomes the last one of its named conversation with its end; any other leaves it.',
  'conversations-take-turns':
    'While a response is open in a named conversation, and unless it names the last one, no other opens in it.',
  'conversations-end':
    'A named conversation ends when it or its last response is deleted, and the deletion of an open one frees it.',
  'takes-any-name': 'An id, an owner and a key may be any text.',
  'obeys-model': 'With any operations in any order, a store agrees with its model.',
} as const

/** The id of a rule in {@link STORE_RULES}. */
export type StoreRule = keyof typeof STORE_RULES

/** The stores for the check of a rule: two processes on the same data, or one twice. */
export interface Stores {
  readonly store: ResponseStore
  readonly other: ResponseStore
}

const WRITTEN = { state: 'written' }
const FACTS = { created_at: 1, metadata: { a: 'b' } }

/** The named conversations of a store that has any. */
function namedOf({ conversations }: ResponseStore): ConversationIndex | undefined {
  return conversations
}

const LOST = { state: 'lost' }

const stateOf = ({ state }: OpenResult): string => state

/** The check of each rule except the model's, on an empty store. @throws Broken */
export const CHECKS: Readonly<Record<Exclude<StoreRule, 'obeys-model'>, (stores: Stores) => Promise<void>>> = {
  async 'opens-once'({ store, other }) {
    await open(store, { entries: block(1) })
    expectSame(stateOf(await other.open(NEW)), 'exists', 'the same id again')
    expectSame(stateOf(await other.open({ ...NEW, owner: 'bob' })), 'exists', 'the same id for another owner')
    expectSame(await entriesNow(store, 1), [1], 'its entries')
  },

  async 'opens-whole'({ store, other }) {
    const key = { key: 'k', digest: 'd' }
    await open(store, { responseId: 'a', key, approvals: ['mcpr_1'], entries: block(1, 2) })
    expectSame(await other.findKey('k', 'ann'), { ...key, responseId: 'a' }, 'the key')
    const secondResponse: Partial<NewResponse> = {
      responseId: 'b',
      approvals: ['mcpr_2'],
      key: { key: 'l', digest: 'd' },
    }
    const refused: readonly [string, Partial<NewResponse>][] = [
      ['key_taken', { key }],
      ['consumed', { approvals: ['mcpr_2', 'mcpr_1'] }],
      ['no_previous', { previous: 'none' }],
    ]
    for (const [state, change] of refused) {
      expectSame(
        stateOf(await other.open({ ...NEW, ...secondResponse, ...change })),
        state,
        `a response that is refused`,
      )
      expectSame(await store.find('b', 'ann'), undefined, `a response that was refused: ${state}`)
      expectSame(await store.findKey('l', 'ann'), undefined, `the key of one that was refused: ${state}`)
    }
    await open(other, secondResponse)
    const again = await store.open({ ...NEW, responseId: 'c', key })
    expectSame(again.state === 'key_taken' && again.by, { ...key, responseId: 'a' }, 'who has the key')
  },

  async 'appends-fenced'({ store, other }) {
    const lease = await open(store, { entries: block(1, 2) })
    for (const at of [0, 1, 3]) {
      expectSame(await append(store, lease, at, [8, 9]), { state: 'behind', count: 2 }, `an append after ${at} of 2`)
    }
    expectSame(await append(store, lease, 1, []), { state: 'behind', count: 2 }, 'a question after 1 of 2')
    expectSame(await append(store, lease, 2, []), WRITTEN, 'a question after 2 of 2')
    expectSame(await append(store, lease, 2, [3]), WRITTEN, 'an append after 2 of 2')
    expectSame(await append(other, { ...lease, epoch: lease.epoch + 1 }, 3, [4]), LOST, 'an append of a later lease')
    expectSame(await append(other, { ...lease, owner: 'bob' }, 3, [4]), LOST, 'an append of another owner')
    expectSame(await append(other, { ...lease, responseId: 'none' }, 0, [4]), LOST, 'an append to no response')
    expectSame(await entriesNow(other, 3), [1, 2, 3], 'its entries')
  },

  async 'appends-apart'({ store, other }) {
    const ids = ['a', 'b', 'c', 'd']
    const leases = await Promise.all(ids.map((responseId) => open(store, { responseId })))
    await other.claim({ responseId: 'b', owner: 'ann', leaseSeconds: LONG, isForced: true })
    const appends = leases.map((lease, at): Append => {
      return { lease, at: at === 2 ? 1 : 0, entries: block(at), leaseSeconds: LONG }
    })
    const expected = [WRITTEN, LOST, { state: 'behind', count: 0 }, WRITTEN]
    expectSame(await store.append(appends), expected, 'four appends in one step')
    expectSame(await store.append([]), [], 'no append')
    for (const [at, responseId] of ids.entries()) {
      const there = at === 0 || at === 3 ? [at] : []
      expectSame(
        await entriesNow(other, there.length, { responseId, owner: 'ann' }),
        there,
        `the entries of ${responseId}`,
      )
    }
  },

  async 'ends-once'({ store, other }) {
    const lease = await keep(store, {})
    expectSame(await append(store, lease, 0, [1]), LOST, 'an append after the end')
    expectSame(await end(other, lease, 0), LOST, 'another end')
    const claim = { ...NEW, leaseSeconds: LONG, isForced: true }
    expectSame(await other.claim(claim), undefined, 'a claim after the end')
    expectSame(await other.expired(10), [], 'expired responses after the end')
  },

  async 'ends-whole'({ store, other }) {
    const lease = await open(store, { entries: block(1) })
    const became = finished([item('msg_1')])
    const wrong = { lease, at: 3, entries: block(2), end: { finished: became }, leaseSeconds: LONG }
    expectSame(await store.append([wrong]), [{ state: 'behind', count: 1 }], 'an end after 3 of 1')
    expectSame(await store.find(NEW.responseId, 'ann'), { state: 'running' }, 'a response whose end was refused')
    const reading = await read(other)
    await reading?.until(1)
    const entries = block(1, 2, 3)
    const right = { lease, at: 1, entries: block(2, 3), end: { finished: became, entries }, leaseSeconds: LONG }
    expectSame(await store.append([right]), [WRITTEN], 'an end after 1 of 1')
    expectSame(await lineageOf(other, NEW.responseId), ['msg_1'], 'what it became')
    expectSame(await entriesNow(other, 3), [1, 2, 3], 'its entries')
    await reading?.over
    expectSame(reading?.entries, [1, 2, 3], 'what a reader got over whom the end came')
    const bare = await open(store, { responseId: 'bare', entries: block(1) })
    const none = { finished: finished(), entries: block() }
    await store.append([{ lease: bare, at: 1, end: none, leaseSeconds: LONG }])
    expectSame(await entriesNow(other, 0, { responseId: 'bare', owner: 'ann' }), undefined, 'entries that are not kept')
  },

  async 'claims-expired'({ store, other }) {
    const lease = await open(store, { entries: block(1) })
    const claim = { responseId: NEW.responseId, owner: 'ann', leaseSeconds: LONG }
    expectSame(await other.claim(claim), undefined, 'a claim of a lease that lasts')
    expectSame(await other.claim({ ...claim, owner: 'bob', isForced: true }), undefined, 'a claim of another owner')
    const forced = await other.claim({ ...claim, isForced: true })
    if (forced === undefined) throw new Broken('a claim by force: expected a lease, got nothing')
    if (forced.lease.epoch <= lease.epoch) throw new Broken('a claim: expected a later epoch')
    expectSame(forced.count, 1, 'how many entries the claim finds')
    expectSame(await append(store, lease, 1, [2]), LOST, 'an append of the writer before')
    expectSame(await end(store, lease, 1), LOST, 'an end of the writer before')
    expectSame(await append(other, forced.lease, 1, [2], 0), WRITTEN, 'an append that gives the lease up')
    const claims = await Promise.all([store.claim(claim), other.claim(claim), store.claim(claim)])
    expectSame(claims.filter((each) => each !== undefined).length, 1, 'how many of three claims have the expired lease')
    const latest = claims.find((each) => each !== undefined)
    if ((latest?.lease.epoch ?? 0) <= forced.lease.epoch) throw new Broken('a claim: expected a later epoch')
    expectSame(await append(other, forced.lease, 2, []), LOST, 'a question of the writer before')
    await append(store, latest?.lease ?? lease, 2, [], 0)
    await append(store, latest?.lease ?? lease, 2, [], LONG)
    expectSame(await other.claim(claim), undefined, 'a claim of a lease that was renewed')
  },

  async 'lists-expired'({ store, other }) {
    const leases = []
    for (const responseId of ['a', 'b', 'c']) leases.push(await open(store, { responseId, leaseSeconds: 0 }))
    await open(store, { responseId: 'd' })
    await keep(store, { responseId: 'e', leaseSeconds: 0 })
    await open(store, { responseId: 'f', owner: 'bob', leaseSeconds: 0 })
    const [a, b] = leases
    if (a !== undefined) await append(store, a, 0, [1])
    if (b !== undefined) await end(store, b, 0)
    const listed = (await other.expired(10)).map(({ responseId, owner }) => `${responseId} of ${owner}`).sort()
    expectSame(listed, ['c of ann', 'f of bob'], 'the responses that run without a lease')
    expectSame((await other.expired(1)).length, 1, 'how many are listed where one is asked for')
  },

  async follows({ store, other }) {
    const lease = await open(store, { entries: block(0, 1) })
    const readings = await Promise.all([0, 1, 2, 3].map((from) => read(other, from)))
    await append(store, lease, 2, [2])
    await readings[0]?.until(3)
    await append(store, lease, 3, [3, 4])
    await end(store, lease, 5)
    const late = await read(other, 0)
    await Promise.all([...readings, late].map((each) => each?.over))
    for (const [from, reading] of readings.entries()) {
      expectSame(reading?.entries, [0, 1, 2, 3, 4].slice(from), `what a reader got from ${from} on`)
    }
    expectSame(late?.entries, [0, 1, 2, 3, 4], 'what a reader got that came after the end')
    await open(store, { responseId: 'gone', entries: block(1) })
    const reading = await read(other, 0, { responseId: 'gone', owner: 'ann' })
    await store.delete('gone', 'ann')
    await reading?.over
  },

  async 'reader-leaves'({ store, other }) {
    const lease = await open(store)
    const [leaving, staying] = [await read(other), await read(other)]
    await append(store, lease, 0, [1])
    await leaving?.until(1)
    await leaving?.leave()
    await leaving?.over
    await append(store, lease, 1, [2])
    await end(store, lease, 2)
    await staying?.over
    expectSame(staying?.entries, [1, 2], 'what the reader got that stayed')
  },

  async 'owners-apart'({ store, other }) {
    await keep(store, {}, finished([], [item('msg_1')]))
    await open(store, { responseId: 'running', leaseSeconds: 0, key: { key: 'k', digest: 'd' } })
    const { responseId } = NEW
    expectSame(await other.find(responseId, 'bob'), undefined, 'find')
    expectSame(await other.lineage(responseId, 'bob'), undefined, 'lineage')
    expectSame(await other.entries(responseId, 'bob'), undefined, 'entries')
    expectSame(await other.findItem('msg_1', 'bob'), undefined, 'findItem')
    expectSame(await other.findKey('k', 'bob'), undefined, 'findKey')
    expectSame(await other.claim({ responseId: 'running', owner: 'bob', leaseSeconds: LONG }), undefined, 'claim')
    expectSame(await other.delete(responseId, 'bob'), false, 'delete')
    // Ids and owners that imitate each other.
    await keep(store, { responseId: 'resp_a', owner: 'a' }, finished([item('b","x', 'of a')]))
    await keep(store, { responseId: 'resp_b', owner: 'a","b' }, finished([item('x', 'of the other')]))
    expectSame(textOf(await other.findItem('b","x', 'a')), 'of a', 'an item of one')
    expectSame(textOf(await other.findItem('x', 'a","b')), 'of the other', 'an item of the other')
  },

  async 'walks-lineage'({ store, other }) {
    await chain(store, 'a', 'b', 'c')
    await keep(store, { responseId: 'other', previous: 'a' }, finished([item('msg_other')]))
    expectSame(await lineageOf(other, 'c'), ['msg_a', 'msg_b', 'msg_c'], 'a chain')
    expectSame(await lineageOf(other, 'other'), ['msg_a', 'msg_other'], 'a branch')
    expectSame(await lineageOf(other, 'none'), undefined, 'no response')
    await open(store, { responseId: 'd', previous: 'c' })
    expectSame((await other.lineage('d', 'ann'))?.state, 'running', 'the state of one that is running')
    expectSame(await lineageOf(other, 'd'), ['msg_a', 'msg_b', 'msg_c'], 'of one that is running')
    const ids = Array.from({ length: 300 }, (_, at) => `long_${at}`)
    await chain(store, ...ids)
    expectSame((await other.lineage('long_299', 'ann'))?.responses.length, 300, 'the length of a long chain')
  },

  async 'goes-on-from-kept'({ store, other }) {
    await chain(store, 'a', 'b')
    await store.delete('a', 'ann')
    await open(store, { responseId: 'running' })
    await keep(store, { responseId: 'others', owner: 'bob' })
    for (const previous of ['none', 'a', 'running', 'others', 'new']) {
      const opening = await other.open({ ...NEW, responseId: 'new', previous })
      expectSame(stateOf(opening), 'no_previous', `a response that continues ${previous}`)
    }
  },

  async deletes({ store, other }) {
    await chain(store, 'a', 'b', 'c')
    for (const id of ['a', 'b']) expectSame(await other.delete(id, 'ann'), true, `delete ${id}`)
    for (const id of ['a', 'b']) {
      expectSame(await store.find(id, 'ann'), undefined, `find ${id}`)
      expectSame(await store.lineage(id, 'ann'), undefined, `lineage of ${id}`)
      expectSame(await store.entries(id, 'ann'), undefined, `entries of ${id}`)
      expectSame(await store.findItem(`msg_${id}`, 'ann'), undefined, `an item of ${id}`)
      expectSame(await store.delete(id, 'ann'), false, `delete ${id} again`)
      expectSame(stateOf(await other.open({ ...NEW, responseId: id })), 'exists', `open ${id} again`)
    }
    expectSame(await lineageOf(store, 'c'), ['msg_a', 'msg_b', 'msg_c'], 'the remaining lineage')
    expectSame(await other.delete('c', 'ann'), true, 'delete the last one')
    await chain(store, 'a', 'b', 'c')
    const lease = await open(store, { responseId: 'running', entries: block(1) })
    expectSame(await other.delete('running', 'ann'), true, 'delete a running one')
    expectSame(await append(store, lease, 1, [2]), LOST, 'an append to one that was deleted')
    expectSame(await end(store, lease, 1), LOST, 'an end of one that was deleted')
    expectSame(await other.expired(10), [], 'expired responses')
  },

  async 'finds-items'({ store, other }) {
    await keep(store, { responseId: 'r0' }, finished([item('m', 'planted')]))
    await keep(store, { responseId: 'r1' }, finished([item('in')], [item('m', 'genuine')]))
    await keep(store, { responseId: 'r2' }, finished([item('m', 'forged')]))
    const found = await other.findItem('m', 'ann')
    expectSame(
      [textOf(found), found?.isOutput, found?.responseId],
      ['genuine', true, 'r2'],
      'an item of three responses',
    )
    expectSame((await other.findItem('in', 'ann'))?.isOutput, false, 'whether an item that was sent is output')
    await store.delete('r1', 'ann')
    const after = await other.findItem('m', 'ann')
    expectSame([textOf(after), after?.isOutput], ['genuine', true], 'an item whose giver was deleted')
    await store.delete('r2', 'ann')
    await store.delete('r0', 'ann')
    expectSame(await other.findItem('m', 'ann'), undefined, 'an item that no response has')
    expectSame(await other.findItem('none', 'ann'), undefined, 'an item that there never was')
  },

  async 'approvals-once'({ store, other }) {
    const stores = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? store : other))
    const answers = await Promise.all(stores.map((each) => each.consumeApprovals(['mcpr_1'], 'ann')))
    expectSame(answers.filter((isFirst) => isFirst).length, 1, 'how many of 20 consume an approval')
    expectSame(await other.consumeApprovals(['mcpr_1'], 'bob'), true, 'an approval of another owner')
    expectSame(await other.consumeApprovals(['mcpr_2', 'mcpr_1'], 'ann'), false, 'two of which one is used')
    expectSame(await store.consumeApprovals(['mcpr_2', 'mcpr_3'], 'ann'), true, 'two that are free')
    expectSame(await store.consumeApprovals([], 'ann'), true, 'none')
    expectSame(stateOf(await store.open({ ...NEW, approvals: ['mcpr_3'] })), 'consumed', 'a response with a used one')
    await keep(store, { responseId: 'asked' }, finished([], [item('mcpr_4')]))
    await open(store, { responseId: 'one', previous: 'asked', approvals: ['mcpr_4'] })
    const again = { ...NEW, responseId: 'two', previous: 'asked', approvals: ['mcpr_4'] }
    expectSame(stateOf(await other.open(again)), 'consumed', 'a second response with the same one')
    expectSame(await other.consumeApprovals(['mcpr_4'], 'ann'), false, 'one that a response has used')
  },

  async 'keys-once'({ store, other }) {
    const key = { key: 'k', digest: 'd' }
    const openings = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        (at % 2 === 0 ? store : other).open({ ...NEW, responseId: `r${at}`, key: { key: 'k', digest: `d${at}` } }),
      ),
    )
    expectSame(openings.filter(({ state }) => state === 'opened').length, 1, 'how many of 10 have a key')
    const winner = (await other.findKey('k', 'ann'))?.responseId ?? ''
    await open(other, { responseId: 'bobs', owner: 'bob', key })
    await store.delete(winner, 'ann')
    expectSame(await other.findKey('k', 'ann'), undefined, 'a key whose response was deleted')
    const lease = await open(other, { responseId: 'again', key })
    const last = { finished: finished(), freesKey: true }
    await other.append([{ lease, at: 0, end: last, leaseSeconds: LONG }])
    expectSame(await store.findKey('k', 'ann'), undefined, 'a key that was freed with the end')
    const kept = await open(store, { responseId: 'kept', key })
    await end(store, kept, 0)
    expectSame((await other.findKey('k', 'ann'))?.responseId, 'kept', 'a key whose response is over')
  },

  async 'conversations-move'({ store, other }) {
    const [one, two] = [namedOf(store), namedOf(other)]
    if (one === undefined || two === undefined) return
    const first = await open(store, { responseId: 'a', conversation: { conversationId: 'conv', facts: FACTS } })
    expectSame(await two.find('conv', 'ann'), undefined, 'one whose first response is running')
    await end(store, first, 0, finished([item('msg_a')]))
    expectSame(await two.find('conv', 'ann'), { facts: FACTS, last: 'a' }, 'one whose first response has ended')
    for (const [id, status, last] of [
      ['b', 'completed', 'b'],
      ['c', 'failed', 'b'],
      ['d', 'cancelled', 'b'],
      ['e', 'incomplete', 'e'],
    ] as const) {
      const before = (await two.find('conv', 'ann'))?.last ?? ''
      const turn = { responseId: id, previous: before, conversation: { conversationId: 'conv', last: before } }
      const lease = await open(other, turn)
      expectSame((await one.find('conv', 'ann'))?.open, id, 'the response that is open')
      expectSame(await end(store, lease, 0, finished([item(`msg_${id}`)], [], status)), WRITTEN, `the end of ${id}`)
      expectSame(await two.find('conv', 'ann'), { facts: FACTS, last }, `after one that ends ${status}`)
    }
    expectSame(await lineageOf(other, 'e'), ['msg_a', 'msg_b', 'msg_e'], 'the conversation')
    await keep(
      store,
      { responseId: 'anew', conversation: { conversationId: 'conv', last: 'e' } },
      finished([item('n')]),
    )
    expectSame(await two.find('conv', 'ann'), { facts: FACTS, last: 'anew' }, 'one that begins anew')
    const changed = { created_at: 2, metadata: { a: 'a longer value' } }
    expectSame(await two.update('conv', 'ann', changed), true, 'an update')
    expectSame(await one.find('conv', 'ann'), { facts: changed, last: 'anew' }, 'after it')
    const taken = await open(store, {
      responseId: 'f',
      leaseSeconds: 0,
      conversation: { conversationId: 'conv', last: 'anew' },
    })
    const claimed = await other.claim({ responseId: 'f', owner: 'ann', leaseSeconds: LONG })
    expectSame(await end(store, taken, 0), LOST, 'the end by a process that has lost the response')
    expectSame((await two.find('conv', 'ann'))?.last, 'anew', 'after it')
    expectSame(claimed && (await end(other, claimed.lease, 0)), WRITTEN, 'the end by another process')
    expectSame(await one.find('conv', 'ann'), { facts: changed, last: 'f' }, 'after that')
  },

  async 'conversations-take-turns'({ store, other }) {
    const two = namedOf(other)
    if (namedOf(store) === undefined || two === undefined) return
    const begin = { conversationId: 'conv', facts: FACTS }
    const both = await Promise.all(
      [store, other, store].map((each, at) => each.open({ ...NEW, responseId: `begin_${at}`, conversation: begin })),
    )
    const [winner, ...others] = both.filter(({ state }) => state === 'opened')
    expectSame([winner?.state, others.length], ['opened', 0], 'how many of 3 begin one')
    if (winner?.state !== 'opened') return
    await end(store, winner.lease, 0)
    const last = winner.lease.responseId
    const turn = { previous: last, conversation: { conversationId: 'conv', last } }
    const openings = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        (at % 2 === 0 ? store : other).open({ ...NEW, ...turn, responseId: `turn_${at}` }),
      ),
    )
    const opened = openings.flatMap((opening) => (opening.state === 'opened' ? [opening.lease] : []))
    const [lease, ...more] = opened
    expectSame([opened.length, more.length], [1, 0], 'how many of 10 are open in one')
    expectSame(openings.filter(({ state }) => state === 'moved').length, 9, 'how many of 10 are refused')
    if (lease === undefined) return
    expectSame((await two.find('conv', 'ann'))?.open, lease.responseId, 'the one that is open')
    await end(other, lease, 0)
    expectSame(stateOf(await store.open({ ...NEW, ...turn, responseId: 'late' })), 'moved', 'one after an earlier one')
    const none = { conversationId: 'none', last: lease.responseId }
    expectSame(stateOf(await store.open({ ...NEW, responseId: 'late', conversation: none })), 'moved', 'in none')
    expectSame(stateOf(await other.open({ ...NEW, responseId: 'late', conversation: begin })), 'moved', 'begun again')
    expectSame(await store.find('late', 'ann'), undefined, 'one that was refused')
    const bobs = { ...NEW, owner: 'bob', responseId: 'bobs', conversation: { conversationId: 'conv', last } }
    expectSame(stateOf(await other.open(bobs)), 'moved', 'in the conversation of another owner')
  },

  async 'conversations-end'({ store, other }) {
    const [one, two] = [namedOf(store), namedOf(other)]
    if (one === undefined || two === undefined) return
    await keep(store, { responseId: 'a', conversation: { conversationId: 'conv', facts: FACTS } })
    const turn = { previous: 'a', conversation: { conversationId: 'conv', last: 'a' } }
    await open(store, { responseId: 'b', ...turn })
    expectSame(await other.delete('b', 'ann'), true, 'delete the one that is open')
    expectSame(await one.find('conv', 'ann'), { facts: FACTS, last: 'a' }, 'after it')
    const lease = await open(other, { responseId: 'c', ...turn })
    for (const answer of [await two.delete('conv', 'bob'), await two.update('conv', 'bob', FACTS)])
      expectSame(answer, false, 'a change by another owner')
    expectSame(await two.find('conv', 'bob'), undefined, 'found by another owner')
    expectSame(await two.delete('conv', 'ann'), true, 'delete')
    expectSame(await one.find('conv', 'ann'), undefined, 'after that')
    expectSame(await one.delete('conv', 'ann'), false, 'delete again')
    expectSame(await one.update('conv', 'ann', FACTS), false, 'an update of none')
    expectSame(await end(store, lease, 0), WRITTEN, 'the end of one that was open')
    expectSame((await other.find('a', 'ann'))?.state, 'finished', 'its responses')
    await keep(store, { responseId: 'x', conversation: { conversationId: 'other', facts: FACTS } })
    await store.delete('x', 'ann')
    expectSame(await two.find('other', 'ann'), undefined, 'one whose last response was deleted')
    const failing = await open(store, { responseId: 'y', conversation: { conversationId: 'third', facts: FACTS } })
    await end(store, failing, 0, finished([], [], 'failed'))
    expectSame(await two.find('third', 'ann'), undefined, 'one whose first response failed')
    await keep(other, { responseId: 'z', conversation: { conversationId: 'third', facts: FACTS } })
    expectSame((await one.find('third', 'ann'))?.last, 'z', 'one that begins after that')
  },

  async 'takes-any-name'({ store, other }) {
    for (const name of ['__proto__', 'constructor', 'toString', '', "'; --", 'ü\u{1f600}', 'a\u0000b', '\u0001x']) {
      const what = JSON.stringify(name)
      expectSame(await other.find(name, name), undefined, `find ${what}`)
      const key = { key: name, digest: name }
      const begun = store.conversations && {
        conversationId: name,
        facts: { created_at: 1, metadata: { [name]: name } },
      }
      const response = { responseId: name, owner: name, key, ...(begun && { conversation: begun }) }
      await keep(store, response, finished([item(name)]))
      expectSame((await other.conversations?.find(name, name))?.last, begun && name, `find the conversation ${what}`)
      expectSame((await other.find(name, name))?.state, 'finished', `find ${what} after it was kept`)
      expectSame((await other.findItem(name, name))?.responseId, name, `findItem ${what}`)
      expectSame(await other.findKey(name, name), { ...key, responseId: name }, `findKey ${what}`)
      expectSame(await other.consumeApprovals([name], name), true, `consumeApprovals ${what}`)
    }
  },
}
