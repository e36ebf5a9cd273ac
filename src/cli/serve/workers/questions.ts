import { sleep } from '../../../shared/system/sleep.js'
import type { AdminQuestion } from './messages.js'

/** How long workers may take to answer, in milliseconds: a part that does not answer takes five seconds. */
export const ANSWER_MS: Readonly<Record<AdminQuestion['about'], number>> = {
  snapshot: 1000,
  parts: 6000,
  cancel: 2000,
}

/** A worker that can be asked what the operator wants to know. */
export interface QuestionedWorker {
  answer(id: number, question: AdminQuestion): void
}

/** The operator's questions, each to all workers. */
export interface Questions<Worker extends QuestionedWorker> {
  /** Asks workers. Returns the answers of those that answer in time. */
  ask(workers: Iterable<Worker>, question: AdminQuestion): Promise<readonly unknown[]>
  /** Takes a worker's answer. */
  take(worker: Worker, id: number, answer: unknown): void
  /** Removes a worker that has ended, which answers no more. */
  remove(worker: Worker): void
}

interface Open<Worker> {
  readonly silent: Set<Worker>
  readonly answers: unknown[]
  readonly all: AbortController
}

export function createQuestions<Worker extends QuestionedWorker>(): Questions<Worker> {
  const open = new Map<number, Open<Worker>>()
  let last = 0

  function heard({ silent, all }: Open<Worker>, worker: Worker): boolean {
    const isAwaited = silent.delete(worker)
    if (silent.size === 0) all.abort()
    return isAwaited
  }

  return {
    async ask(workers, question) {
      last += 1
      const id = last
      const asked: Open<Worker> = { silent: new Set(workers), answers: [], all: new AbortController() }
      open.set(id, asked)
      for (const worker of [...asked.silent]) worker.answer(id, question)
      if (asked.silent.size > 0) await sleep(ANSWER_MS[question.about], asked.all.signal)
      open.delete(id)
      return asked.answers
    },
    take(worker, id, answer) {
      const asked = open.get(id)
      if (asked !== undefined && heard(asked, worker)) asked.answers.push(answer)
    },
    remove(worker) {
      for (const asked of open.values()) heard(asked, worker)
    },
  }
}
