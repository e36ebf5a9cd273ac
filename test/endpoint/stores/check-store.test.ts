import { describe, expect, test } from 'vitest'
import {
  type AppendResult,
  type ConversationIndex,
  createMemoryStore,
  type ResponseStore,
} from '../../../src/endpoint/stores/index.js'
import { checkStore, type StoreRule } from '../../../src/testing/index.js'

/** A store in memory with one fault. */
function faulty(change: (real: ResponseStore) => Partial<ResponseStore>): ResponseStore {
  const real = createMemoryStore()
  return { ...real, ...change(real) }
}

/** Changes the named conversations of a store. */
function conversations(
  change: (real: ConversationIndex) => Partial<ConversationIndex>,
): (real: ResponseStore) => Partial<ResponseStore> {
  return ({ conversations: real }) => ({
    conversations: { ...(real as ConversationIndex), ...change(real as ConversationIndex) },
  })
}

const FAULTS: readonly [
  what: string,
  rules: readonly StoreRule[],
  change: (real: ResponseStore) => Partial<ResponseStore>,
][] = [
  [
    'takes whatever a stale writer appends',
    ['claims-expired', 'obeys-model'],
    (real) => ({
      async append(appends) {
        const all: AppendResult[] = []
        for (const one of appends) {
          let [appended] = await real.append([one])
          for (let later = 1; appended?.state === 'lost' && later < 4; later++) {
            const lease = { ...one.lease, epoch: one.lease.epoch + later }
            ;[appended] = await real.append([{ ...one, lease }])
          }
          all.push(appended as AppendResult)
        }
        return all
      },
    }),
  ],
  [
    'claims a lease that has not expired',
    ['claims-expired', 'obeys-model'],
    (real) => ({ claim: (claim) => real.claim({ ...claim, isForced: true }) }),
  ],
  [
    'gives an epoch twice',
    ['claims-expired', 'obeys-model'],
    (real) => ({
      async claim(claim) {
        const claimed = await real.claim(claim)
        return claimed && { ...claimed, lease: { ...claimed.lease, epoch: claimed.lease.epoch - 1 } }
      },
    }),
  ],
  [
    'walks to the predecessors of another owner',
    ['owners-apart', 'obeys-model'],
    (real) => ({
      async lineage(responseId, owner) {
        return (await real.lineage(responseId, owner)) ?? (await real.lineage(responseId, 'ann'))
      },
    }),
  ],
  [
    'fails all appends of a step for one stale writer',
    ['appends-apart'],
    (real) => ({
      async append(appends) {
        const appended = await real.append(appends)
        return appended.some(({ state }) => state === 'lost') ? appended.map(() => ({ state: 'lost' })) : appended
      },
    }),
  ],
  [
    'lists responses whose lease lasts',
    ['lists-expired', 'obeys-model'],
    (real) => {
      const opened: { responseId: string; owner: string }[] = []
      return {
        async open(response) {
          opened.push(response)
          return await real.open(response)
        },
        expired: async () => opened.map(({ responseId, owner }) => ({ responseId, owner })),
      }
    },
  ],
  [
    'opens a response and then takes its key',
    ['opens-whole', 'obeys-model'],
    (real) => ({
      async open(response) {
        const { key: _, ...others } = response
        const taken = response.key && (await real.findKey(response.key.key, response.owner))
        const opening = await real.open(others)
        return taken === undefined ? opening : { state: 'key_taken', by: taken }
      },
    }),
  ],
  [
    'lets an approval be used twice',
    ['approvals-once', 'opens-whole'],
    (real) => ({
      open: ({ approvals: _, ...response }) => real.open(response),
      consumeApprovals: async () => true,
    }),
  ],
  [
    'shows a reader each block twice',
    ['follows'],
    (real) => ({
      async entries(responseId, owner, from = 0) {
        const blocks = await real.entries(responseId, owner, from)
        if (blocks === undefined) return undefined
        return (async function* () {
          for await (const some of blocks) yield some.map((block) => ({ ...block, at: block.at + 1 }))
        })()
      },
    }),
  ],
  ['finds what was deleted', ['deletes', 'obeys-model'], () => ({ delete: async () => true })],
  [
    'lets two responses be open in one conversation',
    ['conversations-take-turns', 'conversations-move', 'obeys-model'],
    (real) => ({
      async open({ conversation, ...response }) {
        if (conversation?.last !== undefined) return await real.open(response)
        return await real.open({ ...response, ...(conversation && { conversation }) })
      },
    }),
  ],
  [
    'finds the conversation of another owner',
    ['conversations-end'],
    conversations((real) => ({
      find: async (id, owner) => (await real.find(id, owner)) ?? (await real.find(id, 'ann')),
    })),
  ],
  [
    'does not free a conversation whose open response is deleted',
    ['conversations-end'],
    (real) => {
      const named = new Set<string>()
      return {
        async open(response) {
          const opening = await real.open(response)
          if (opening.state === 'opened' && response.conversation !== undefined) named.add(response.responseId)
          return opening
        },
        delete: async (id, owner) => named.has(id) || (await real.delete(id, owner)),
      }
    },
  ],
  [
    'lets a failed response become the last one of its conversation',
    ['conversations-move', 'conversations-end'],
    (real) => ({
      append: (appends) =>
        real.append(
          appends.map(({ end, ...append }) => ({
            ...append,
            ...(end && {
              end: {
                ...end,
                finished: { ...end.finished, response: { ...end.finished.response, status: 'completed' } },
              },
            }),
          })),
        ),
    }),
  ],
  [
    'ends a conversation with the response that is open in it',
    ['conversations-end'],
    conversations((real) => ({
      async delete(id, owner) {
        const found = await real.find(id, owner)
        return found?.open === undefined && (await real.delete(id, owner))
      },
    })),
  ],
]

describe('checkStore', () => {
  test.each(FAULTS)('finds a store that %s', async (_what, rules, change) => {
    const violations = await checkStore(() => ({ store: faulty(change) }), { runs: 600, seed: 1, timeoutMs: 200 })
    const found = violations.map(({ rule }) => rule)
    expect(rules.filter((rule) => !found.includes(rule))).toEqual([])
  })

  test('shows the fewest calls that break a rule, and the seed that draws them again', async () => {
    const create = () => ({ store: faulty((real) => ({ claim: (claim) => real.claim({ ...claim, isForced: true }) })) })
    const [violation] = (await checkStore(create, { seed: 1 })).filter(({ rule }) => rule === 'obeys-model')
    expect(violation?.calls?.map(({ op }) => op)).toEqual(['open', 'claim'])
    const again = await checkStore(create, { seed: violation?.seed as number, runs: 1 })
    expect(again.find(({ rule }) => rule === 'obeys-model')).toEqual(violation)
  })
})
