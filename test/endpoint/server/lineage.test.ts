import { describe, expect, test } from 'vitest'
import type { ResponseObject } from '../../../src/core/responses/response.js'
import type { Entry } from '../../../src/endpoint/journal/entry.js'
import { respond, translateEntries } from '../../../src/endpoint/respond/index.js'
import { createSeal } from '../../../src/endpoint/seal/index.js'
import { itemsOfResponses } from '../../../src/endpoint/server/service/conversation/earlier-responses.js'
import { decodeEntries } from '../../../src/endpoint/server/service/storage/entry-bytes.js'
import { finishedResponse } from '../../../src/endpoint/server/service/storage/finished-response.js'
import {
  createMemoryStore,
  type EntryBlock,
  type FinishedResponse,
  type ResponseStore,
} from '../../../src/endpoint/stores/index.js'
import { answer } from '../../../src/testing/index.js'
import { endpoint, tokenTable } from './endpoint.js'

const seal = createSeal([{ id: 'a', key: new Uint8Array(32).fill(1) }])

/** A store that records its input. */
function watchedStore() {
  const store = createMemoryStore()
  const kept: FinishedResponse[] = []
  const entries = new Map<string, Entry[]>()
  const take = (id: string, { bytes }: EntryBlock): void => {
    entries.set(id, [...(entries.get(id) ?? []), ...decodeEntries(bytes)])
  }
  const watched: ResponseStore = {
    ...store,
    async open(response) {
      take(response.responseId, response.entries)
      return await store.open(response)
    },
    async append(appends) {
      for (const { lease, entries: added, end } of appends) {
        if (added !== undefined) take(lease.responseId, added)
        if (end !== undefined) kept.push(structuredClone(end.finished))
      }
      return await store.append(appends)
    },
  }
  return { store: watched, kept, entries }
}

/** A conversation by `previous_response_id`, and the id of its last response. */
async function talk(create: ReturnType<typeof endpoint>['create'], turns: number, body: object = {}): Promise<string> {
  let previous: string | undefined
  for (let turn = 0; turn < turns; turn++) {
    const asked = await create({
      input: `Question ${turn}`,
      ...body,
      ...(previous && { previous_response_id: previous }),
    })
    expect(asked.status).toBe(200)
    previous = asked.body.id
  }
  return previous as string
}

describe('a conversation by previous_response_id', () => {
  test('a conversation keeps the additions of each response, in the store and in the journal', async () => {
    const { store, kept, entries } = watchedStore()
    const { create } = endpoint(() => answer('Hi'), { store, seal })
    await talk(create, 12)
    const sizes = [...kept, ...entries.values()].map((each) => JSON.stringify(each).length)
    expect(kept.map(({ added, history }) => [added.length, history.length])).toEqual(kept.map(() => [1, 1]))
    const opens = [...entries.values()].map(([open]) => open as Extract<Entry, { type: 'open' }>)
    expect(opens.map(({ input }) => input.length)).toEqual(opens.map(() => 1))
    expect(opens.slice(1).map(({ previous }) => previous)).toEqual([...entries.keys()].slice(0, -1))
    expect(
      opens.map(({ prompt }) => prompt.tokens).every((size, at, all) => at === 0 || size > (all[at - 1] ?? 0)),
    ).toBe(true)
    // The last turn's numbers have a digit more.
    expect(Math.max(...sizes.slice(1, 12))).toBeLessThan((sizes[1] as number) + 50)
    expect(Math.max(...sizes.slice(13))).toBeLessThan((sizes[13] as number) + 50)
  })

  test('a conversation can be taken over and finished by any process with only the store and the entries', async () => {
    const { store, kept, entries } = watchedStore()
    const { create, engine } = endpoint(() => answer('Hi there.'), { store, seal })
    const id = await talk(create, 3)
    const written = entries.get(id) as Entry[]
    const [open] = written as [Extract<Entry, { type: 'open' }>]
    const { responses = [] } = (await store.lineage(open.previous as string, 'anonymous')) ?? {}
    const input = [...itemsOfResponses(responses), ...open.input]
    const history = [...responses.flatMap((each) => each.history), ...(open.history ?? [])]
    for (const at of [1, 4, written.length - 1]) {
      const all = written.slice(0, at)
      const stream = respond({ ...open.request, input } as never, {
        engine,
        tokenTable,
        history,
        store: true,
        responseId: id,
        clock: () => open.at,
        entries: written.slice(0, at),
        append: (added) => void all.push(...added),
      })
      for await (const _ of stream);
      const translation = translateEntries({ tokenTable, store: true })
      for (const entry of all) translation.apply(entry)
      const response = translation.response as ResponseObject
      const ended = { response, transcript: translation.transcript, isAborted: all.at(-1)?.type === 'abort' }
      const taken = finishedResponse(ended, open, { seal, owner: 'anonymous' })
      const last = kept.at(-1)
      expect({ ...taken, response: taken.response.output }).toEqual({ ...last, response: last?.response.output })
    }
  })

  test('a conversation is not continued from another conversation: the prompt has to be the one that was written', async () => {
    const { store, entries } = watchedStore()
    const { create, engine } = endpoint(() => answer('Hi'), { store })
    const id = await talk(create, 2)
    const written = (entries.get(id) as Entry[]).slice(0, 2)
    const [open] = written as [Extract<Entry, { type: 'open' }>]
    for (const input of [open.input, [{ type: 'item_reference', id: 'msg_1' }]]) {
      const stream = respond({ ...open.request, input } as never, {
        engine,
        tokenTable,
        responseId: id,
        entries: written,
      })
      await expect(stream.next()).rejects.toMatchObject({ name: 'HarmonyResponsesError', code: 'prompt_differs' })
    }
  })

  test('a conversation finds nothing of a response that was deleted, neither by its id nor by its items, and continues after it', async () => {
    const { create, ask } = endpoint(() => answer('Hi'))
    const first = await create({ input: [{ type: 'message', role: 'user', id: 'msg_own', content: 'One' }] })
    const second = await create({ input: 'Two', previous_response_id: first.body.id })
    expect((await ask('DELETE', `/responses/${first.body.id}`)).status).toBe(200)
    for (const id of ['msg_own', first.body.output[0].id]) {
      expect((await create({ input: [{ type: 'item_reference', id }] })).status).toBe(404)
    }
    expect((await create({ input: 'Other', previous_response_id: first.body.id })).status).toBe(400)
    const third = await create({ input: 'Three', previous_response_id: second.body.id })
    expect(third.body.usage.input_tokens).toBeGreaterThan(second.body.usage.input_tokens)
    const items = await ask('GET', `/responses/${third.body.id}/input_items?order=asc`)
    expect(items.body.data.map((item: { content: { text: string }[] }) => item.content[0]?.text)).toEqual([
      ...['One', 'Hi', 'Two', 'Hi', 'Three'],
    ])
  })

  test('a conversation has the same prompt whether a process knows the conversation or meets it for the first time', async () => {
    const { store, entries } = watchedStore()
    const script = () => answer('Hi')
    const knowing = endpoint(script, { store, clock: () => 1_767_225_600 })
    const id = await talk(knowing.create, 5)
    const other = endpoint(script, { store, clock: () => 1_767_225_600 })
    const ids = [knowing, knowing, other].map(async ({ create }) => {
      const { body } = await create({ input: 'And?', previous_response_id: id })
      const [open] = entries.get(body.id) as [Extract<Entry, { type: 'open' }>]
      return open.prompt
    })
    const [first, ...others] = await Promise.all(ids)
    expect(others).toEqual([first, first])
  })
})
