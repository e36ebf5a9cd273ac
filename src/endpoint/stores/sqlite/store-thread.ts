import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { HarmonyResponsesError } from '../../../shared/errors.js'
import type { Moment } from '../database/expiry.js'
import { createFairQueue, type Turn } from '../database/fair-queue.js'
import type { Operations } from '../database/operation-types.js'
import type { Driver } from './driver.js'
import type { Answer, WorkerRequest, WorkerSettings } from './protocol.js'

/** Returns the worker beside this file or, if a bundler has moved this one into a chunk, beside its entry point. */
export function workerUrl(): URL {
  const places = ['./worker.js', './endpoint/stores/sqlite/worker.js', '../endpoint/stores/sqlite/worker.js']
  const urls = places.map((place) => new URL(place, import.meta.url))
  return urls.find((url) => url.protocol === 'file:' && existsSync(url)) ?? (urls[0] as URL)
}

/** The worker of one open file. */
export interface StoreThread {
  readonly driver: Driver
  /** Runs an operation in the worker, in its turn. Rejects with its error, or if the store is closed. */
  call<Name extends keyof Operations>(
    turn: Turn,
    name: Name,
    time: Moment,
    ...given: Parameters<Operations[Name]>
  ): Promise<ReturnType<Operations[Name]>>
  /** Copies the database into a new file. */
  backup(time: Moment, file: string): Promise<void>
  /** Whether to report writes of other processes. */
  watch(isOn: boolean): void
  /** Sets the listener of such writes. */
  onChange(listener: () => void): void
  /** Ends the worker, after the running operations. */
  close(): Promise<void>
}

/** The number of operations that the worker has at a time: it has the next one while the answer to the last is read. */
const MAX_SENT = 2

/** Starts a worker that opens the file. */
export async function openThread(program: URL, settings: WorkerSettings): Promise<StoreThread> {
  // Node warns that its SQLite is new: without the flag, each start would look like one with a fault.
  const worker = new Worker(program, { workerData: settings, execArgv: ['--disable-warning=ExperimentalWarning'] })
  const calls = new Map<
    number,
    { readonly resolve: (result: never) => void; readonly reject: (error: Error) => void }
  >()
  const queue = createFairQueue<Extract<WorkerRequest, { type: 'call' }>>()
  let count = 0
  let sent = 0
  let isClosed = false
  let changed = (): void => {}
  let closed = (): void => {}
  /** Called when no call is pending. */
  let idle = (): void => {}
  let closing: Promise<void> | undefined
  const over = new Promise<void>((resolve) => {
    closed = resolve
  })

  function failAll(error: Error): void {
    isClosed = true
    for (const { reject } of calls.values()) reject(error)
    calls.clear()
    closed()
    idle()
  }

  const send = (request: WorkerRequest): void => worker.postMessage(request)

  function sendNext(): void {
    while (sent < MAX_SENT) {
      const next = queue.next()
      if (next === undefined) return
      sent += 1
      send(next)
    }
  }

  const driver = await new Promise<Driver>((resolve, reject) => {
    worker.on('message', (answer: Answer) => {
      if (answer.type === 'started') resolve(answer.driver)
      else if (answer.type === 'failed') {
        const isOption = answer.code === 'bad_option'
        reject(isOption ? new HarmonyResponsesError('bad_option', answer.message) : new Error(answer.message))
        void worker.terminate()
      } else if (answer.type === 'changed') changed()
      else if (answer.type === 'closed') closed()
      else {
        const call = calls.get(answer.id)
        calls.delete(answer.id)
        sent -= 1
        sendNext()
        // The process may exit while no call is pending.
        if (calls.size === 0) {
          worker.unref()
          idle()
        }
        // biome-ignore lint/plugin: The protocol pairs the answer with its call by id, which types cannot express.
        if (answer.type === 'done') call?.resolve(answer.result as never)
        else call?.reject(new Error(answer.message))
      }
    })
    worker.on('error', (error) => {
      reject(error)
      failAll(error instanceof Error ? error : new Error(String(error)))
    })
    worker.on('exit', () => {
      reject(new Error('the worker of the store has ended'))
      failAll(new Error('the store is closed'))
    })
  })
  worker.unref()

  return {
    driver,
    call: (turn, name, time, ...given) => request(turn, { name, time, given }),
    backup: (time, file) => request('first', { name: 'backup', time, given: [file] }),
    watch(isOn) {
      if (!isClosed) send({ type: 'watch', isOn })
    },
    /** Sets the listener of such writes. */
    onChange(listener) {
      changed = listener
    },
    close() {
      closing ??= close()
      return closing
    },
  }

  function request<Result>(
    turn: Turn,
    asked: Pick<Extract<WorkerRequest, { type: 'call' }>, 'name' | 'time' | 'given'>,
  ): Promise<Result> {
    if (isClosed || closing !== undefined) return Promise.reject(new Error('the store is closed'))
    return new Promise((resolve, reject) => {
      count += 1
      calls.set(count, { resolve: resolve as (result: never) => void, reject })
      worker.ref()
      queue.add({ type: 'call', id: count, ...asked }, turn)
      sendNext()
    })
  }

  async function close(): Promise<void> {
    if (isClosed) return
    if (calls.size > 0) {
      await new Promise<void>((resolve) => {
        idle = resolve
      })
    }
    if (isClosed) return
    worker.ref()
    send({ type: 'close' })
    await over
    isClosed = true
    await worker.terminate()
  }
}
