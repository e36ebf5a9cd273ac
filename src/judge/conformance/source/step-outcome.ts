import type { TokenChunk } from '../../../core/tokens/token-source.js'
import { idsOf } from './read-progress.js'

/** The result of a source's `next()`. */
export type Step = IteratorResult<TokenChunk, unknown>

/** The outcome of a promise within the time limit. */
export type Outcome<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'thrown'; readonly error: unknown }
  | { readonly kind: 'nothing' }

/** Turns a synchronous exception into a rejection. */
export async function promiseOf<T>(call: () => PromiseLike<T>): Promise<T> {
  return call()
}

export function outcomeOf<T>(promise: PromiseLike<T>, timeoutMs: number): Promise<Outcome<T>> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve({ kind: 'nothing' }), timeoutMs)
    const finish = (outcome: Outcome<T>): void => {
      clearTimeout(timer)
      resolve(outcome)
    }
    promise.then(
      (value) => finish({ kind: 'value', value }),
      (error) => finish({ kind: 'thrown', error }),
    )
  })
}

export function isOver(outcome: Outcome<Step | undefined>): boolean {
  return outcome.kind === 'value' && outcome.value?.done === true
}

export function describeOutcome(outcome: Outcome<Step | undefined>): string {
  if (outcome.kind === 'nothing') return 'nothing'
  if (outcome.kind === 'thrown') return `the error ${JSON.stringify(String(outcome.error))}`
  if (outcome.value?.done) return 'an end'
  return `a chunk: ${idsOf(outcome.value?.value as TokenChunk).join(', ')}`
}
