import type { Worker as ClusterWorker } from 'node:cluster'
import type { AdminCancelled, AdminPart, AdminProcess, AdminSnapshot } from '../../../endpoint/server/index.js'
import type { DatabaseStore } from '../../../endpoint/stores/database/database-store.js'
import type { Lease } from '../../../endpoint/stores/store.js'
import { RequestError } from '../../../shared/request-error.js'
import { within } from '../../../shared/system/sleep.js'
import { complaint, type Io } from '../../io.js'
import type { Family } from '../metric-families.js'
import { serve } from '../serve.js'
import type { ServeSettings } from '../settings.js'
import { METRICS_MS } from './gathered-metrics.js'
import { giveUp, watchLeases } from './held-leases.js'
import type { AdminQuestion, FromWorker, ToWorker } from './messages.js'
import { ANSWER_MS } from './questions.js'

/** Serves in a worker until it is told to stop, or the process that started it is gone. Returns the exit code. */
export async function serveAsWorker(worker: ClusterWorker, settings: ServeSettings, io: Io): Promise<number> {
  const isFirst = worker.id === 1
  let isListening = false
  /** What a later worker complains of at its start. The first one has said the same, unless it does not start. */
  let held = ''
  let read = (): Family[] => []
  let own: AdminProcess | undefined
  let shared: DatabaseStore | undefined
  const asked = new Map<number, (answer: readonly unknown[]) => void>()
  const signals = listenForSignals(worker, io)
  const tell = (message: FromWorker): void => void (worker.isConnected() && worker.send(message, () => {}))
  const report = (error: unknown): void => io.complain(complaint(error))
  const released = (lease: Lease): void => tell({ type: 'lease', lease, isHeld: false })
  worker.on('message', (message: ToWorker) => {
    if (message.type === 'read_metrics') tell({ type: 'metrics_read', id: message.id, families: read() })
    if (message.type === 'give_up' && shared !== undefined) giveUp(shared, message.leases, released).catch(report)
    if (message.type === 'metrics') asked.get(message.id)?.(message.families)
    if (message.type === 'admin_answers') asked.get(message.id)?.(message.answers)
    if (message.type !== 'admin_question') return
    const { id, question } = message
    answerOf(own, question).then((answer) => tell({ type: 'admin_answer', id, answer }), report)
  })
  let questions = 0

  /** Asks the first process. Undefined if it does not answer in time. */
  async function ask<Answer>(
    send: (id: number) => FromWorker,
    patienceMs: number,
  ): Promise<readonly Answer[] | undefined> {
    const id = ++questions
    const answer = new Promise<readonly unknown[]>((resolve) => asked.set(id, resolve))
    tell(send(id))
    return (await within(patienceMs, answer).finally(() => asked.delete(id))) as readonly Answer[] | undefined
  }

  /** The answers of all workers. @throws RequestError if there are none */
  async function answers<Answer>(question: AdminQuestion): Promise<readonly Answer[]> {
    const all = await ask<Answer>((id) => ({ type: 'ask_admin', id, question }), 2 * ANSWER_MS[question.about])
    if (all === undefined) throw new RequestError('The first process does not answer.', { status: 503 })
    return all
  }

  try {
    return await serve(
      settings,
      {
        ...io,
        ...signals,
        complain(text) {
          if (isFirst || isListening) io.complain(text)
          else held += text
        },
      },
      {
        isFirst,
        watches(store) {
          shared = store
          return watchLeases(store, (lease, isHeld) => tell({ type: 'lease', lease, isHeld }))
        },
        listening(about) {
          isListening = true
          tell({ type: 'listening', about })
        },
        measures(reader) {
          read = reader
        },
        metricsOfAll: () => ask<Family>((id) => ({ type: 'ask_metrics', id }), 2 * METRICS_MS),
        adminProcesses(process) {
          own = process
          return {
            snapshots: () => answers<AdminSnapshot>({ about: 'snapshot' }),
            parts: () => answers<readonly AdminPart[]>({ about: 'parts' }),
            async cancel(responseId) {
              const found = await answers<AdminCancelled | null>({ about: 'cancel', responseId })
              return found.find((each) => each !== null) ?? undefined
            },
          }
        },
      },
    )
  } finally {
    if (!isListening) io.complain(held)
    tell({ type: 'metrics_read', id: 0, families: read() })
    if (worker.isConnected()) worker.process.disconnect()
  }
}

/** The answer of this process; null if it does not know the response. */
async function answerOf(own: AdminProcess | undefined, question: AdminQuestion): Promise<unknown> {
  if (question.about === 'cancel') return (await own?.cancel(question.responseId)) ?? null
  return question.about === 'snapshot' ? own?.snapshot() : ((await own?.parts()) ?? [])
}

/**
 * Tells a worker to stop and to read its files again. A signal may reach all processes, of a terminal or a service, and
 * the first process passes it on besides: only that one says that it is the second.
 */
function listenForSignals(worker: ClusterWorker, io: Io): Pick<Io, 'onStop' | 'onReload'> {
  const stops = new Set<() => void>()
  const reloads = new Set<() => void>()
  let times = 0
  function stop(to: number): void {
    for (; times < to; times++) for (const listener of stops) listener()
  }
  const leave = io.onStop(() => stop(1))
  // Not heard: the first process passes it on. Without a listener it would end the worker.
  io.onReload(() => {})
  worker.on('message', (message: ToWorker) => {
    if (message.type === 'stop') stop(message.times)
    if (message.type === 'reload') for (const listener of reloads) listener()
  })
  worker.on('disconnect', () => {
    // Without it, Node ends the process at once.
    worker.exitedAfterDisconnect = true
    stop(1)
  })
  return {
    onStop(listener) {
      stops.add(listener)
      // It was told while it started.
      for (let told = 0; told < times; told++) queueMicrotask(listener)
      return () => {
        stops.delete(listener)
        leave()
      }
    },
    onReload(listener) {
      reloads.add(listener)
      return () => reloads.delete(listener)
    },
  }
}
