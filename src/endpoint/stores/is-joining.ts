import type { FinishedResponse } from './store.js'

/** Whether a response that ends so becomes the last one of the named conversation that it was opened in. */
export function isJoining({ response }: Pick<FinishedResponse, 'response'>): boolean {
  return response.status === 'completed' || response.status === 'incomplete'
}
