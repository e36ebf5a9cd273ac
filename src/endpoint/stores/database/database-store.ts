import { closable } from '../../../shared/closable.js'
import { createWork, withPauses } from '../../../shared/slices.js'
import { steadySeconds } from '../../../shared/system/steady-seconds.js'
import type { Reclaimable } from '../../flow/byte-budget.js'
import { nextTurn } from '../../flow/next-turn.js'
import { compacted } from '../compacted.js'
import { EntriesLost } from '../entries-lost.js'
import { isJoining } from '../is-joining.js'
import { OwnersWork } from '../owners-work.js'
import type { Append, ConversationIndex, Durability, FoundResponse, ResponseStore, StoredBlock } from '../store.js'
import { createAdministration } from './administration.js'
import type { ContentCipher } from './cipher.js'
import type { Followers } from './followers.js'
import { KnownResponses, lineageOf, readResponse } from './known-responses.js'
import type { AppendedRow, AppendRow, Call, FoundBlocks } from './operation-types.js'
import { createConversationReader } from './read-conversation.js'
import type { StoreAdministration } from './store-status.js'
import { contentOf } from './stored-content.js'

/** How long a conversation stays in memory after its last use. */
const CACHE_SECONDS = 3600

/** A database, as a store needs it. */
export interface StoreDatabase {
  readonly durability: Durability
  readonly call: Call
  /** Those who wait for entries: the database wakes them after appends of other processes. */
  readonly followers: Followers
  readonly cipher: ContentCipher | undefined
  readonly cacheBytes: number
}

/** A store that keeps its content in a database, and what was read of it in memory. */
export interface DatabaseStore extends ResponseStore, StoreAdministration {
  /** Its named conversations. */
  readonly conversations: ConversationIndex
  /** The conversations that it keeps in memory, too. On demand it forgets them, and reads them again later. */
  readonly memory: Reclaimable
}

/** What stores in databases have in common: content is encrypted, read in parts, and known once it was read. */
export function createDatabaseStore({ durability, call, followers, cipher, cacheBytes }: StoreDatabase): DatabaseStore {
  const content = contentOf(cipher)
  const known = new KnownResponses({ max: cacheBytes, seconds: CACHE_SECONDS, clock: steadySeconds })
  const readConversation = createConversationReader(call, known, content)

  /** Keeping the responses that ended here. */
  const keeping = new OwnersWork()

  /** Keeps a response that ended here, if what it continues is known: the next request continues it. */
  function keepEnded({ ended }: AppendedRow, { lease, end }: Append): void {
    if (ended === undefined || end === undefined) return
    if (ended.previous !== undefined && known.get(ended.previous) === undefined) return
    keeping.do(lease.owner, function* (work) {
      const read = yield* readResponse(ended.row, end.finished, work)
      const previous = ended.previous && known.get(ended.previous)
      if (ended.previous === undefined || previous !== undefined) known.add([read], previous)
    })
  }

  async function find(responseId: string, owner: string): Promise<FoundResponse | undefined> {
    const found = await call({ owner }, 'find', responseId, owner, known.stampOf(responseId))
    if (found === undefined || found.state === 'running') return found
    if (found.content !== undefined) {
      const finished = await withPauses(content.finishedOf(found.content, responseId, owner, createWork()), nextTurn)
      return { state: 'finished', finished: compacted(finished) }
    }
    const there = known.get(found.row)
    // Forgotten while the database was asked.
    return there === undefined ? await find(responseId, owner) : { state: 'finished', finished: there.finished }
  }

  return {
    ...createAdministration(call),
    durability,
    memory: known.memory,
    conversations: {
      async find(id, owner) {
        const found = await call({ owner }, 'findNamed', id, owner)
        if (found === undefined) return undefined
        const { last, open } = found
        return { facts: content.decryptFacts(found.facts, id, owner), last, ...(open !== undefined && { open }) }
      },
      update: (id, owner, facts) => call({ owner }, 'updateNamed', id, owner, content.encryptFacts(facts, id, owner)),
      delete: (id, owner) => call({ owner }, 'deleteNamed', id, owner),
    },
    async open({ conversation, ...response }) {
      const { responseId, owner } = response
      const entries = content.encryptBlock(response.entries, responseId, owner, 0)
      const turn = conversation && {
        ...{ conversationId: conversation.conversationId, last: conversation.last },
        facts: conversation.facts && content.encryptFacts(conversation.facts, conversation.conversationId, owner),
      }
      return await call({ owner }, 'open', { ...response, entries, turn })
    },
    async append(appends) {
      const work = createWork()
      const rows: AppendRow[] = []
      for (const { lease, at, entries, end, leaseSeconds } of appends) {
        const { responseId, owner } = lease
        rows.push({
          ...{ lease, at, leaseSeconds },
          entries: entries && content.encryptBlock(entries, responseId, owner, at),
          end: end && {
            became: await withPauses(content.becameOf(end.finished, responseId, owner, work), nextTurn),
            entries: end.entries && content.encryptBlock(end.entries, responseId, owner, 0),
            freesKey: end.freesKey ?? false,
            joins: isJoining(end.finished),
          },
        })
      }
      // Before all reading: a process that reads much renews its leases in time.
      const appended = await call('first', 'append', rows)
      for (const [at, row] of appended.entries()) keepEnded(row, appends[at] as Append)
      followers.wake(appends.map(({ lease }) => lease.responseId))
      return appended.map((row) => row.appended)
    },
    claim: (claim) => call({ owner: claim.owner }, 'claim', claim),
    expired: (max) => call('first', 'expired', max),
    find,
    async lineage(responseId, owner) {
      await keeping.of(owner)
      const found = await call({ owner }, 'lineage', responseId, owner)
      if (found === undefined) return undefined
      const { state, tip, last } = found
      if (last === undefined) return { state, responses: [] }
      const there = known.get(last) ?? (await readConversation(tip, last, owner))
      return there && { state, responses: lineageOf(there) }
    },
    async findItem(itemId, owner) {
      const found = await call({ owner }, 'findItem', itemId, owner)
      if (found === undefined) return undefined
      const { responseId, isOutput, bytes } = found
      return { responseId, isOutput, item: content.itemOf(bytes, owner) }
    },
    findKey: (key, owner) => call({ owner }, 'findKey', key, owner),
    async entries(responseId, owner, from = 0) {
      /** Reads all present blocks, in parts. */
      async function readFrom(at: number): Promise<FoundBlocks | undefined> {
        const blocks: StoredBlock[] = []
        for (let next = at; ; ) {
          const part = await call({ owner }, 'entries', responseId, owner, next)
          if (part === undefined) return undefined
          for (const block of part.blocks) blocks.push(content.decryptBlock(block, responseId, owner))
          if (part.isAll) return { ...part, blocks }
          next = endOf(blocks, next)
        }
      }
      const first = await readFrom(from)
      if (first === undefined) return undefined
      let isLeft = false
      let leave = (): void => {}
      async function* follow(): AsyncGenerator<readonly StoredBlock[]> {
        let next = from
        /** How many are known to have been there. */
        let read = 0
        let found: FoundBlocks | undefined = first
        while (found !== undefined && !isLeft) {
          const { blocks, isOver, count = read }: FoundBlocks = found
          if (count < read) throw new EntriesLost(responseId, read, count)
          next = endOf(blocks, next)
          read = endOf(blocks, read)
          if (blocks.length > 0) yield blocks
          if (isOver || isLeft) return
          // Registered before the query, so that no write in between is missed.
          const woken = followers.wait(responseId, (done) => {
            leave = done
          })
          found = await readFrom(next)
          if (found !== undefined && found.blocks.length === 0 && !found.isOver && !isLeft) {
            await woken
            if (!isLeft) found = await readFrom(next)
          } else leave()
        }
      }
      return closable(follow(), () => {
        isLeft = true
        leave()
      })
    },
    async delete(responseId, owner) {
      const isDeleted = await call({ owner }, 'delete', responseId, owner)
      if (isDeleted) known.forget(responseId)
      followers.wake([responseId])
      return isDeleted
    },
    consumeApprovals: (ids, owner) => call({ owner }, 'consumeApprovals', ids, owner),
  }
}

/** Returns the number of entries up to the end of some blocks. */
function endOf(blocks: readonly StoredBlock[], otherwise: number): number {
  const last = blocks.at(-1)
  return last === undefined ? otherwise : last.at + last.count
}
