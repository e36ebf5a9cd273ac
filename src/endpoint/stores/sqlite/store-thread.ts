import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { HarmonyResponsesError } from '../../../shared/errors.js'
import type { Driver } from './driver.js'
import type { Operations } from './operation-types.js'
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
  /** Runs an operation in the worker. Rejects with its error, or if the store is closed. */
  call<Name extends keyof Operations>(
    name: Name,
    ...given: Parameters<Operations[Name]>
  ): Promise<ReturnType<Operations[Name]>>
  /** Whether to report writes of other processes. */
  watch(isOn: boolean): void
  /** Sets the listener of such writes. */
  onChange(listener: () => void): void
  /** Ends the worker, after the running operations. */
  close(): Promise<void>
}

/** Starts a worker that opens the file. */
export async function openThread(program: URL, settings: WorkerSettings): Promise<StoreThread> {
  // Node warns that its SQLite is new: without the flag, each start would look like one with a fault.
  const worker = new Worker(program, { workerData: settings, execArgv: ['--disable-warning=ExperimentalWarning'] })
  const calls = new Map<
    number,
    { readonly resolve: (result: never) => void; readonly reject: (error: Error) => void }
  >()
  let count = 0
  let isClosed = false
  let changed = (): void => {}
  let closed = (): void => {}
  const over = new Promise<void>((resolve) => {
    closed = resolve
  })

  function failAll(error: Error): void {
    isClosed = true
    for (const { reject } of calls.values()) reject(error)
    calls.clear()
    closed()
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
        // The process may exit while no call is pending.
        if (calls.size === 0) worker.unref()
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
  const send = (request: WorkerRequest): void => worker.postMessage(request)

  return {
    driver,
    call(name, ...given) {
      if (isClosed) return Promise.reject(new Error('the store is closed'))
      return new Promise((resolve, reject) => {
        count += 1
        calls.set(count, { resolve: resolve as (result: never) => void, reject })
        worker.ref()
        send({ type: 'call', id: count, name, given })
      })
    },
    watch(isOn) {
      if (!isClosed) send({ type: 'watch', isOn })
    },
    /** Sets the listener of such writes. */
    onChange(listener) {
      changed = listener
    },
    async close() {
      if (isClosed) return
      worker.ref()
      send({ type: 'close' })
      await over
      isClosed = true
      await worker.terminate()
    },
  }
}
