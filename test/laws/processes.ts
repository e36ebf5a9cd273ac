import type fc from 'fast-check'
import { vi } from 'vitest'
import type { ResponseStreamEvent } from '../../src/core/responses/events.js'
import { createSeal } from '../../src/endpoint/seal/index.js'
import { createResponseService, type ResponseService } from '../../src/endpoint/server/index.js'
import { decodeEntries } from '../../src/endpoint/server/service/storage/entry-bytes.js'
import { createMemoryStore, type EntryBlock, type ResponseStore } from '../../src/endpoint/stores/index.js'
import { type TokenEngine, tokenStream } from '../../src/engines/contract/index.js'
import { loadTokenTable } from '../../src/index.js'
import { checkEvents } from '../../src/judge/conformance/index.js'
import { closable } from '../../src/shared/closable.js'
import { encodeHarmony, encodeText, m } from '../support/tokens.js'

/*
 * Simulates processes on one store: a paused or dead process gets no answers of the store. The test controls time: the
 * store's clock, and every timer. fast-check chooses the order of the store's calls.
 */

const tokenTable = await loadTokenTable()
const seal = createSeal([{ id: 'a', key: new Uint8Array(32).fill(1) }])
const OWNER = 'anonymous'
/** The model's text, a token for each letter. */
export const SAID = 'abcdefghij'
const BEGINNING = encodeHarmony('<|channel|>final<|message|>')
const TOKENS = [...BEGINNING, ...[...SAID].flatMap((letter) => encodeText(letter)), m.return]
const TERMINAL: readonly string[] = ['response.completed', 'response.incomplete', 'response.failed']

/** The store as a process sees it. */
interface Link {
  isPaused: boolean
  isDead: boolean
  wake: () => void
}

interface Process {
  readonly link: Link
  readonly service: ResponseService
  /** Lets its model sample that many more tokens. */
  step(count: number): void
}

/** A client of one response: what it has seen, and the process that it reads it from. */
interface Client {
  readonly responseId: string
  /** Whether it waits for the response, which then stops when it leaves. */
  readonly isForeground: boolean
  readonly seen: ResponseStreamEvent[]
  from: { readonly link: Link; readonly leave: () => void } | undefined
}

/** The written part of a response, whether its writer knows or not. */
interface Written {
  tokens: number
  isOver: boolean
}

export class Processes {
  readonly clients: Client[] = []
  readonly #scheduler: fc.Scheduler
  readonly #raw: ResponseStore
  readonly #written = new Map<string, Written>()
  readonly #all: Process[]
  readonly #faults: string[] = []
  #now = 1000
  #activity = 0

  constructor(scheduler: fc.Scheduler, count = 2) {
    this.#scheduler = scheduler
    this.#raw = { ...createMemoryStore({ clock: () => this.#now }), durability: 'process' }
    this.#all = Array.from({ length: count }, () => this.#start())
  }

  #of(at: number): Process {
    return this.#all[at % this.#all.length] as Process
  }

  #start(): Process {
    const link: Link = { isPaused: false, isDead: false, wake: () => {} }
    let allowed = 0
    let wakeEngine = (): void => {}
    const engine: TokenEngine = {
      generate: (prompt, { signal } = {}) =>
        tokenStream(async function* (given) {
          given.addEventListener('abort', () => wakeEngine())
          // After the role, which is one token.
          for (let next = prompt.length - prompt.lastIndexOf(m.start) - 2; next < TOKENS.length; next++) {
            while (allowed === 0 && !given.aborted) {
              await new Promise<void>((resolve) => {
                const before = wakeEngine
                wakeEngine = () => {
                  before()
                  resolve()
                }
              })
            }
            if (given.aborted) return undefined
            allowed -= 1
            yield TOKENS[next] as number
          }
          return { reason: 'stop' }
        }, signal),
      health: async () => {},
    }
    const service = createResponseService({
      ...{ engine, tokenTable, seal, store: this.#through(link), onDisconnect: 'stop', onError: () => {} },
      clock: () => this.#now,
      limits: { leaseSeconds: 10, storeSeconds: 4 },
    })
    return {
      link,
      service,
      step(count) {
        allowed += count
        const wake = wakeEngine
        wakeEngine = () => {}
        wake()
      },
    }
  }

  /** The store as one process has it. */
  #through(link: Link): ResponseStore {
    const passes = async (): Promise<void> => {
      while (link.isDead || link.isPaused) {
        await new Promise<void>((resolve) => {
          const before = link.wake
          link.wake = () => {
            before()
            resolve()
          }
        })
      }
    }
    const call =
      <Given extends unknown[], Result>(name: string, work: (...given: Given) => Promise<Result>) =>
      async (...given: Given): Promise<Result> => {
        this.#activity += 1
        await this.#scheduler.schedule(Promise.resolve(), name)
        await passes()
        const result = await work(...given)
        this.#activity += 1
        await this.#scheduler.schedule(Promise.resolve(), `answer to ${name}`)
        await passes()
        return result
      }
    const raw = this.#raw
    return {
      durability: 'process',
      open: call('open', async (response) => {
        const opening = await raw.open(response)
        if (opening.state === 'opened') this.#note(response.responseId, response.entries)
        return opening
      }),
      append: call('append', async (appends) => {
        const appended = await raw.append(appends)
        for (const [at, { lease, entries, end }] of appends.entries()) {
          if (appended[at]?.state !== 'written') continue
          if (entries !== undefined) this.#note(lease.responseId, entries)
          if (end !== undefined) this.#end(lease.responseId)
        }
        return appended
      }),
      claim: call('claim', raw.claim),
      expired: call('expired', raw.expired),
      find: call('find', raw.find),
      lineage: call('lineage', raw.lineage),
      findItem: call('findItem', raw.findItem),
      findKey: call('findKey', raw.findKey),
      delete: call('delete', raw.delete),
      consumeApprovals: call('consumeApprovals', raw.consumeApprovals),
      entries: call('entries', async (...given) => {
        const blocks = await raw.entries(...given)
        if (blocks === undefined) return undefined
        const source = blocks[Symbol.asyncIterator]()
        const read = async function* () {
          for (let step = await source.next(); !step.done; step = await source.next()) {
            await passes()
            yield step.value
          }
        }
        return closable(read(), () => void source.return?.())
      }),
    }
  }

  #writtenOf(responseId: string): Written {
    const known = this.#written.get(responseId) ?? { tokens: 0, isOver: false }
    this.#written.set(responseId, known)
    return known
  }

  #note(responseId: string, { bytes }: EntryBlock): void {
    for (const entry of decodeEntries(bytes)) {
      if (entry.type === 'chunk') this.#writtenOf(responseId).tokens += entry.tokens.length
    }
  }

  #end(responseId: string): void {
    const written = this.#writtenOf(responseId)
    if (written.isOver) this.#faults.push(`${responseId} ended twice`)
    written.isOver = true
  }

  /** The events shown to a client, which must be written by then. */
  #show(client: Client, events: readonly ResponseStreamEvent[]): void {
    this.#activity += 1
    const written = this.#writtenOf(client.responseId)
    for (const event of events) {
      if (event.sequence_number !== client.seen.length) {
        this.#faults.push(`${client.responseId}: ${event.sequence_number} was shown after ${client.seen.length - 1}`)
      }
      client.seen.push(event)
    }
    const { type } = events.at(-1) ?? {}
    const isOver = TERMINAL.includes(type ?? '')
    // A waiting client gets the failure of the store, and perhaps unwritten events: no process continues its response.
    if (client.isForeground && type === 'response.failed') return
    if (isOver && !written.isOver) this.#faults.push(`${type} was shown before it was written`)
    const deltas = client.seen.filter((event) => event.type === 'response.output_text.delta').length
    if (deltas > Math.max(0, written.tokens - BEGINNING.length)) {
      this.#faults.push(`${deltas} deltas were shown where ${written.tokens} tokens were written`)
    }
  }

  /** Completes calls of the store until no work remains. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 12; quiet++) {
      const before = this.#activity
      while (this.#scheduler.count() > 0) {
        await this.#scheduler.waitOne()
        quiet = 0
      }
      await new Promise((resolve) => setImmediate(resolve))
      if (this.#activity !== before) quiet = 0
    }
    if (this.#faults.length > 0) throw new Error(this.#faults.join('\n'))
  }

  /** A client requests a response. In the foreground, it reads it from the process that runs it. */
  async create(at: number, isForeground = false): Promise<void> {
    const { service, link } = this.#of(at)
    if (link.isPaused) return
    const follow = async (): Promise<void> => {
      const { responseId, events } = await service.create({ input: 'Hi', background: !isForeground }, { owner: OWNER })
      const client: Client = { responseId, isForeground, seen: [], from: undefined }
      this.clients.push(client)
      if (isForeground) await this.#follow(client, events, link)
      else void events.return(undefined)
    }
    follow().catch(() => {})
    await this.settle()
  }

  async step(at: number, count: number): Promise<void> {
    this.#of(at).step(count)
    await this.settle()
  }

  async pass(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed++) {
      this.#now += 1
      await vi.advanceTimersByTimeAsync(1000)
      await this.settle()
    }
  }

  /** A client continues to read, from any process. */
  async read(which: number, at: number): Promise<void> {
    const client = this.clients[which % this.clients.length]
    const { service, link } = this.#of(at)
    if (client === undefined || TERMINAL.includes(client.seen.at(-1)?.type ?? '')) return
    const after = client.seen.length - 1
    client.from?.leave()
    let isLeft = false
    client.from = {
      link,
      leave: () => {
        isLeft = true
      },
    }
    const follow = async (): Promise<void> => {
      const events = await service.stream(client.responseId, OWNER, after < 0 ? undefined : after)
      if (isLeft) void events.return(undefined)
      else await this.#follow(client, events, link)
    }
    follow().catch(() => {})
    await this.settle()
  }

  async #follow(client: Client, events: AsyncGenerator<readonly ResponseStreamEvent[]>, link: Link): Promise<void> {
    let isLeft = false
    client.from = {
      link,
      leave: () => {
        isLeft = true
        void events.return(undefined)
      },
    }
    for await (const batch of events) {
      // A dead process shows nothing, and a client that has left reads nothing.
      if (link.isDead || isLeft) return
      this.#show(client, batch)
    }
  }

  async pause(at: number): Promise<void> {
    this.#of(at).link.isPaused = true
    await this.settle()
  }

  async wake(at: number): Promise<void> {
    const { link } = this.#of(at)
    link.isPaused = false
    const { wake } = link
    link.wake = () => {}
    wake()
    await this.settle()
  }

  /** Kills it, and starts another process instead. */
  async kill(at: number): Promise<void> {
    this.#of(at).link.isDead = true
    this.#all[at % this.#all.length] = this.#start()
    await this.settle()
  }

  async cancel(which: number, at: number): Promise<void> {
    const client = this.clients[which % this.clients.length]
    if (client === undefined) return
    this.#of(at)
      .service.cancel(client.responseId, OWNER)
      .catch(() => {})
    await this.settle()
  }

  /**
   * Lets all processes run, models sample, time pass, and clients reconnect, until all responses have ended. Throws the
   * violations.
   */
  async end(): Promise<void> {
    for (const at of this.#all.keys()) await this.wake(at)
    for (const at of this.#all.keys()) await this.step(at, 1000)
    for (let passed = 0; passed < 60 && (await this.#raw.expired(1)).length + this.#running() > 0; passed += 12) {
      await this.pass(12)
    }
    for (const which of this.clients.keys()) await this.read(which, which)
    const wrong: string[] = []
    for (const { responseId, isForeground, seen } of this.clients) {
      const last = seen.at(-1)
      if (!TERMINAL.includes(last?.type ?? '')) wrong.push(`${responseId} is not over for its client: ${last?.type}`)
      for (const violation of checkEvents(seen)) wrong.push(JSON.stringify(violation))
      if (last?.type === 'response.completed' && textOf(seen) !== SAID) wrong.push(`${responseId} said ${textOf(seen)}`)
      for (const { service } of this.#all) {
        const replay: ResponseStreamEvent[] = []
        const read = async (): Promise<void> => {
          for await (const batch of await service.stream(responseId, OWNER)) replay.push(...batch)
        }
        read().catch((error: unknown) => wrong.push(`${error}`))
        await this.settle()
        const isTold = isForeground && last?.type === 'response.failed'
        const isSame = isTold
          ? TERMINAL.includes(replay.at(-1)?.type ?? '') && haveSameBeginning(textOf(replay), textOf(seen))
          : JSON.stringify(replay) === JSON.stringify(seen)
        if (!isSame) {
          wrong.push(`${responseId}: its client saw ${brief(seen)}, and it is replayed as ${brief(replay)}`)
        }
      }
    }
    if (wrong.length > 0) throw new Error(wrong.join('\n'))
  }

  #running(): number {
    return this.clients.filter(({ responseId }) => !this.#writtenOf(responseId).isOver).length
  }
}

function textOf(events: readonly ResponseStreamEvent[]): string {
  return events.flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : [])).join('')
}

function brief(events: readonly ResponseStreamEvent[]): string {
  return `${events.length} events, ${events.at(-1)?.type}, ${JSON.stringify(textOf(events))}`
}

function haveSameBeginning(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one)
}
