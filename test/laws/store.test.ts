import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  createMemoryStore,
  type FinishedResponse,
  type Lease,
  type ResponseStore,
} from '../../src/endpoint/stores/index.js'
import { checkStore } from '../../src/testing/index.js'
import { RUNS, runs } from '../support/runs.js'

/** The number of steps in a run. */
const STEPS = Number(process.env['LAW_STEPS'] ?? 15)
/** How many responses the store has room for, and how long it keeps them. */
const ROOM = 4
const SECONDS = 100
const NO_ENTRIES = { count: 0, bytes: new Uint8Array() }

/** A response that was opened and not deleted, as the model knows it. */
interface Opened {
  readonly id: string
  readonly owner: string
  readonly previous: Opened | undefined
  readonly root: Opened | undefined
  readonly lease: Lease
  isOver: boolean
}

interface Model {
  readonly opened: Opened[]
  count: number
}

interface World {
  readonly store: ResponseStore
  now: number
}

const OWNERS = ['ann', 'bob']
const finished = (id: string): FinishedResponse =>
  ({ response: { id, status: 'completed', output: [] }, added: [], history: [] }) as unknown as FinishedResponse

const rootOf = (one: Opened): Opened => one.root ?? one
const chainOf = (one: Opened | undefined): string[] => (one === undefined ? [] : [...chainOf(one.previous), one.id])

/** The invariants: responses that must exist, and responses that may have been deleted. */
async function check({ opened }: Model, { store }: World): Promise<void> {
  const found = new Map<Opened, boolean>()
  for (const one of opened) {
    const state = (await store.find(one.id, one.owner))?.state
    found.set(one, state !== undefined)
    if (!one.isOver) expect(state, `${one.id}, which runs`).toBe('running')
    const lineage = await store.lineage(one.id, one.owner)
    const ids = lineage?.responses.map(({ response }) => response.id)
    if (state !== undefined) expect(ids, `the lineage of ${one.id}`).toEqual(chainOf(one.isOver ? one : one.previous))
    for (const owner of OWNERS.filter((each) => each !== one.owner)) {
      expect(await store.find(one.id, owner), `${one.id} for ${owner}`).toBeUndefined()
      expect(await store.lineage(one.id, owner), `the lineage of ${one.id} for ${owner}`).toBeUndefined()
    }
  }
  for (const one of opened) {
    // Conversations are forgotten as wholes.
    expect(found.get(one), `${one.id}, of the conversation of ${rootOf(one).id}`).toBe(found.get(rootOf(one)))
  }
}

type Work = (model: Model, world: World, one: number, other: number) => Promise<void>

class Happening implements fc.AsyncCommand<Model, World> {
  readonly #name: string
  readonly #work: (model: Model, world: World) => Promise<void>

  constructor(name: string, work: (model: Model, world: World) => Promise<void>) {
    this.#name = name
    this.#work = work
  }

  check(): boolean {
    return true
  }

  async run(model: Model, world: World): Promise<void> {
    await this.#work(model, world)
    await check(model, world)
  }

  toString(): string {
    return this.#name
  }
}

const happening = (name: string, most: readonly [number, number], work: Work): fc.Arbitrary<Happening> =>
  fc
    .tuple(fc.nat({ max: most[0] }), fc.nat({ max: most[1] }))
    .map(([one, other]) => new Happening(`${name} ${one} ${other}`, (model, world) => work(model, world, one, other)))

async function open({ opened, ...model }: Model, { store }: World, owner: string, previous?: Opened): Promise<number> {
  const id = `r${model.count}`
  const asked = { responseId: id, owner, entries: NO_ENTRIES, leaseSeconds: 1000 }
  const opening = await store.open({ ...asked, ...(previous && { previous: previous.id }) })
  const mayGoOn = previous === undefined || (previous.isOver && previous.owner === owner)
  if (!mayGoOn) expect(opening.state).toBe('no_previous')
  if (opening.state === 'opened') {
    opened.push({ id, owner, previous, root: previous && rootOf(previous), lease: opening.lease, isOver: false })
  } else expect(opening.state).toBe('no_previous')
  return model.count + 1
}

const HAPPENINGS = [
  happening('open by', [1, 0], async (model, world, by) => {
    model.count = await open(model, world, OWNERS[by] as string)
  }),
  happening('open by, from', [1, 9], async (model, world, by, from) => {
    const previous = model.opened[from % Math.max(1, model.opened.length)]
    model.count = await open(model, world, OWNERS[by] as string, previous)
  }),
  happening('go on from', [9, 0], async (model, world, which) => {
    const over = model.opened.filter(({ isOver }) => isOver)
    const previous = over[which % Math.max(1, over.length)]
    if (previous !== undefined) model.count = await open(model, world, previous.owner, previous)
  }),
  happening('end', [9, 0], async ({ opened }, { store }, which) => {
    const running = opened.filter(({ isOver }) => !isOver)
    const one = running[which % Math.max(1, running.length)]
    if (one === undefined) return
    const end = { finished: finished(one.id) }
    const [appended] = await store.append([{ lease: one.lease, at: 0, end, leaseSeconds: 1000 }])
    expect(appended).toEqual({ state: 'written' })
    one.isOver = true
    // The latest used conversation is not deleted, unless it alone exceeds the room.
    const conversation = opened.filter((other) => rootOf(other) === rootOf(one))
    const isTooLarge = conversation.length > ROOM && conversation.every(({ isOver }) => isOver)
    expect((await store.find(one.id, one.owner))?.state).toBe(isTooLarge ? undefined : 'finished')
  }),
  happening('pass', [2 * SECONDS, 0], async (_model, world, seconds) => {
    world.now += seconds
  }),
]

test('the store in memory keeps every rule of a store', async () => {
  expect(await checkStore(() => ({ store: createMemoryStore() }), { runs: runs(1000) })).toEqual([])
})

test('a store with little room forgets whole conversations, none in which a response is running, and shows them to no other owner', async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(HAPPENINGS, { maxCommands: STEPS, size: 'max' }), async (commands) => {
      const setup = () => {
        const world: World = { now: 1000, store: undefined as unknown as ResponseStore }
        const store = createMemoryStore({ responses: ROOM, seconds: SECONDS, clock: () => world.now })
        return { model: { opened: [], count: 0 }, real: Object.assign(world, { store }) }
      }
      await fc.asyncModelRun(setup, commands)
    }),
    { numRuns: RUNS },
  )
})
