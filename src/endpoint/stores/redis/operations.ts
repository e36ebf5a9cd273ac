import { renewAfter } from '../database/expiry.js'
import type { Lanes } from '../database/lanes.js'
import { marked } from '../database/marked-text.js'
import type { Call, FoundBlocks, LaterOperations } from '../database/operation-types.js'
import { PAGE_BYTES, PAGE_ROWS } from '../database/page.js'
import type { StoredBlock } from '../store.js'
import { append } from './appends.js'
import type { Connections, Reply, ScriptValues } from './connections.js'
import { type Bounds, createEviction } from './eviction.js'
import { keyedResponseOf, open } from './openings.js'
import { becameOf, bytesOf, listOf, nameOf, rowOf, textOf } from './replies.js'
import { CONSUME } from './scripts/approvals.js'
import { DELETE_NAMED, FIND_NAMED, UPDATE_NAMED } from './scripts/conversations.js'
import { FIND_ITEM } from './scripts/items.js'
import { CLAIM, EXPIRED } from './scripts/leases.js'
import { DELETE, DELETE_OWNER } from './scripts/leaving.js'
import { ENTRIES, FIND, FIND_KEY, LINEAGE, READ_LINEAGE } from './scripts/reading.js'
import { STATUS } from './scripts/server.js'

/** Returns the operations of the store, each in one step, in the lanes. */
export function createCall(connections: Connections, lanes: Lanes, bounds: Bounds): Call {
  const operations = createOperations(connections, bounds)
  return (turn, name, ...given) => lanes.run(turn, () => operations[name](...given))
}

const MICROSECONDS = 1e6

function createOperations(connections: Connections, bounds: Bounds): LaterOperations {
  const { run } = connections
  const eviction = createEviction(connections, bounds)
  const stale = renewAfter(bounds.seconds)
  const named = (id: string, owner: string): ScriptValues => ({ id: marked(id), owner: marked(owner), stale })
  /** Runs a script that answers nothing if there is nothing. */
  const found = async (body: string, given: ScriptValues): Promise<readonly Reply[] | undefined> => {
    const reply = await run(body, given)
    return reply === null ? undefined : listOf(reply)
  }
  const isDone = async (body: string, given: ScriptValues, contents: readonly Uint8Array[] = []): Promise<boolean> =>
    (await run(body, given, contents)) === 1

  return {
    async open(response) {
      await eviction.expire()
      return await open(connections, response)
    },
    async append(rows) {
      const { appended, grown } = await append(connections, rows)
      await eviction.shrink(grown)
      return appended
    },
    async claim({ responseId, owner, leaseSeconds, isForced = false }) {
      const claimed = await found(CLAIM, { ...named(responseId, owner), seconds: leaseSeconds, isForced })
      if (claimed === undefined) return undefined
      const [epoch, count, isDoubtful] = claimed.map(Number)
      const lease = { responseId, owner, epoch: epoch ?? 0 }
      return { lease, count: count ?? 0, ...(isDoubtful === 1 && { mayLack: true }) }
    },
    async expired(max) {
      // A server that nobody asks deletes, too: it looks for dead processes all the time.
      await eviction.expire()
      return listOf(await run(EXPIRED, { max })).map((each) => {
        const [id, owner] = listOf(each)
        return { responseId: nameOf(id), owner: nameOf(owner) }
      })
    },
    async find(responseId, owner, known) {
      const response = await found(FIND, { ...named(responseId, owner), known })
      if (response === undefined) return undefined
      const [state, stamped, head, places, items] = response
      const row = rowOf(stamped)
      if (textOf(state) === 'running' || row === undefined) return { state: 'running' }
      return { state: 'finished', row, content: head === undefined ? undefined : becameOf(head, places, items) }
    },
    async lineage(responseId, owner) {
      const response = await found(LINEAGE, named(responseId, owner))
      if (response === undefined) return undefined
      const [state, stamped, last] = response
      const tip = rowOf(stamped)
      if (tip === undefined) return undefined
      return { state: textOf(state) === 'running' ? 'running' : 'finished', tip, last: rowOf(last) }
    },
    async climb(tip, from, max) {
      const given = { tip: String(tip.rid), stamp: tip.stamp, from: String(from), max, bytes: PAGE_BYTES }
      const climbed = await found(READ_LINEAGE, given)
      if (climbed === undefined) return undefined
      const [list, next] = climbed
      const rows = listOf(list).flatMap((each) => {
        const [stamped, head, places, items] = listOf(each)
        const row = rowOf(stamped)
        return row === undefined ? [] : [{ ...row, ...becameOf(head, places, items) }]
      })
      return { rows, next: rowOf(next) }
    },
    async findItem(itemId, owner) {
      const item = await found(FIND_ITEM, named(itemId, owner))
      if (item === undefined) return undefined
      const [id, isOutput, bytes] = item
      return { responseId: nameOf(id), isOutput: isOutput === 1, bytes: bytesOf(bytes) }
    },
    async findKey(key, owner) {
      const by = await found(FIND_KEY, { key: marked(key), owner: marked(owner) })
      return by && keyedResponseOf(key, by)
    },
    async entries(responseId, owner, from) {
      const page = { from, rows: PAGE_ROWS, bytes: PAGE_BYTES }
      const blocks = await found(ENTRIES, { ...named(responseId, owner), ...page })
      return blocks && blocksOf(blocks)
    },
    delete: (responseId, owner) => isDone(DELETE, named(responseId, owner)),
    consumeApprovals: (ids, owner) => isDone(CONSUME, { ids: ids.map(marked), owner: marked(owner) }),
    async findNamed(id, owner) {
      const conversation = await found(FIND_NAMED, named(id, owner))
      if (conversation === undefined) return undefined
      const [facts, last, running] = conversation
      return { facts: bytesOf(facts), last: nameOf(last), open: running === undefined ? undefined : nameOf(running) }
    },
    updateNamed: (id, owner, facts) => isDone(UPDATE_NAMED, named(id, owner), [facts]),
    deleteNamed: (id, owner) => isDone(DELETE_NAMED, named(id, owner)),
    async status() {
      const [responses, running, conversations, owners, bytes, version, oldest] = listOf(await run(STATUS)).map(Number)
      return {
        ...{ responses: responses ?? 0, running: running ?? 0, conversations: conversations ?? 0 },
        ...{ owners: owners ?? 0, bytes: bytes ?? 0, version: version ?? 0 },
        ...(oldest !== undefined && { oldest: oldest / MICROSECONDS }),
      }
    },
    async deleteOwner(owner, max) {
      const deleted = listOf(await run(DELETE_OWNER, { owner: marked(owner), max }))
      const [responses = 0, conversations = 0, bytes = 0, approvals = 0, isAll] = deleted as readonly number[]
      return { responses, conversations, bytes, approvals, isAll: isAll === 1 }
    },
  }
}

function blocksOf([isOver, isAll, count, list]: readonly Reply[]): FoundBlocks {
  const blocks = listOf(list).map((each): StoredBlock => {
    const [at, count, bytes] = listOf(each)
    return { at: Number(at), count: Number(count), bytes: bytesOf(bytes) }
  })
  return { blocks, isAll: isAll === 1, isOver: isOver === 1, count: Number(count) }
}
