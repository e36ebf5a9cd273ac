import { afterEach, describe, expect, test } from 'vitest'
import { createSeal } from '../../../src/endpoint/seal/index.js'
import { createMemoryStore, type ResponseStore } from '../../../src/endpoint/stores/index.js'
import type { TokenEngine } from '../../../src/engines/contract/index.js'
import { answer, scriptedEngine } from '../../../src/testing/index.js'
import { type Endpoint, endpoint, heldEngine, tokenTable, until } from './endpoint.js'

const seal = createSeal([{ id: 'a', key: new Uint8Array(32).fill(1) }])
const user = (content: string) => ({ type: 'message', role: 'user', content }) as const

/** Two processes on one store, of which the first can die, with the test's clock. */
function world(firstEngine: TokenEngine) {
  let now = 1000
  let isDead = false
  const shared: ResponseStore = { ...createMemoryStore({ clock: () => now }), durability: 'process' }
  /** The methods in which the first process dies. */
  const deadly = new Set<string>()
  const mortal = Object.fromEntries(
    Object.entries(shared).map(([name, value]) => {
      if (typeof value !== 'function') return [name, value]
      const method = async (...given: never[]): Promise<unknown> => {
        isDead ||= deadly.has(name)
        return isDead ? await new Promise(() => {}) : await (value as (...all: never[]) => unknown)(...given)
      }
      return [name, method]
    }),
  ) as unknown as ResponseStore
  const options = { seal, onDisconnect: 'finish', limits: { leaseSeconds: 10 } } as const
  const first = endpoint(firstEngine, { ...options, store: mortal })
  const second = endpoint(
    scriptedEngine(() => answer('From the second'), { tokenTable }),
    { ...options, store: shared },
  )
  const ending = () => second.drain(AbortSignal.abort())
  endings = [...endings, ending]
  return {
    first,
    second,
    deadly,
    isDying: () => isDead,
    die: () => {
      isDead = true
    },
    pass: (seconds: number) => {
      now += seconds
    },
  }
}

let endings: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(endings.splice(0).map((end) => end()))
})

async function textsOf({ ask }: Endpoint, id: string): Promise<string[]> {
  const { body } = await ask('GET', `/conversations/${id}/items?order=asc`)
  return body.data.map(({ content }: Message) => content[0]?.text)
}

interface Message {
  readonly content: readonly { readonly text: string }[]
}

async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20))
}

async function begun({ ask }: Endpoint): Promise<string> {
  return (await ask('POST', '/conversations', { items: [user('Zero')] })).body.id
}

describe('a conversation whose process has died', () => {
  test('has the items of a response that another process has ended once, in order, and is free then', async () => {
    const engine = heldEngine(6)
    const { first, second, die, pass } = world(engine)
    const conversation = await begun(first)
    const { body } = await first.create({ input: 'One', conversation, background: true })
    await until(() => engine.sampled >= 6)
    die()
    expect((await second.create({ input: 'Two', conversation })).body.error.code).toBe('conversation_locked')
    pass(20)
    const found = async () => (await second.ask('GET', `/responses/${body.id}`)).body
    await eventually(async () => (await found()).status !== 'in_progress')
    const { status, output } = await found()
    expect(status).toBe('completed')
    const texts = await textsOf(second, conversation)
    expect(texts).toEqual(['Zero', 'One', ...output.map(({ content }: Message) => content[0]?.text)])
    expect((await second.create({ input: 'Two', conversation })).body.conversation).toEqual({ id: conversation })
    expect(await textsOf(second, conversation)).toEqual([...texts, 'Two', 'From the second'])
  })

  test('is free once the lease of a step that was cut off has expired, and has nothing of it', async () => {
    const { first, second, deadly, pass, isDying: isAppending } = world(heldEngine())
    const conversation = await begun(first)
    deadly.add('append')
    void first.ask('POST', `/conversations/${conversation}/items`, { items: [user('Half')] })
    await until(isAppending)
    const add = async () => second.ask('POST', `/conversations/${conversation}/items`, { items: [user('One')] })
    expect((await add()).status).toBe(409)
    pass(20)
    await eventually(async () => (await add()).status === 200)
    expect(await textsOf(second, conversation)).toEqual(['Zero', 'One'])
  })
})
