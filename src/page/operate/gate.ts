import { type Signal, signal } from '@preact/signals'
import { save, saved } from '../api/saved.js'
import { ApiError, isKey, reasonOf, send } from '../api/send.js'

/** The name under which this tab keeps the operator's key: apart from the key of its user. */
const KEY = 'operator-key'

/** Whether the server lets this tab see its figures. */
export type Gate =
  | { readonly is: 'asking' }
  /** `why` is the server's sentence, which names the key; `wrong` if it does not take the one that was typed in. */
  | { readonly is: 'closed'; readonly why: string; readonly wrong: boolean }
  | { readonly is: 'failed'; readonly why: string }
  | { readonly is: 'open'; readonly hasKey: boolean }

export const gate: Signal<Gate> = signal<Gate>({ is: 'asking' })

/** Asks for figures with the operator's key alone. Closes the gate if the server refuses it. @throws ApiError, TypeError */
export async function askOperator<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  return (await (await sendAsOperator(path, 'GET', signal)).json()) as Answer
}

/** Cancels a response. Returns its status then, or why it was not cancelled. */
export async function cancel(id: string): Promise<{ readonly status?: string; readonly why?: string }> {
  try {
    const response = await sendAsOperator(`responses/${encodeURIComponent(id)}/cancel`, 'POST')
    return (await response.json()) as { readonly status: string }
  } catch (error) {
    return { why: reasonOf(error) }
  }
}

async function sendAsOperator(path: string, method: 'GET' | 'POST', signal?: AbortSignal): Promise<Response> {
  try {
    return await send(`admin/${path}`, { method, keyName: KEY, ...(signal && { signal }) })
  } catch (error) {
    if (isRefusal(error)) {
      gate.value = { is: 'closed', why: error.message, wrong: saved(KEY) !== undefined }
    }
    throw error
  }
}

function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'operator_key_required'
}

/** Asks whether the key of this tab opens, or none is needed. */
export async function enter(): Promise<void> {
  try {
    await askOperator('now')
    gate.value = { is: 'open', hasKey: saved(KEY) !== undefined }
  } catch (error) {
    if (!isRefusal(error)) gate.value = { is: 'failed', why: reasonOf(error) }
  }
}

/** Keeps the operator's key for this tab, and tries it. */
export async function tryKey(key: string, why: string): Promise<void> {
  if (!isKey(key)) {
    gate.value = { is: 'closed', why, wrong: true }
    return
  }
  save(KEY, key)
  await enter()
}

/** Forgets the operator's key. */
export async function forgetKey(): Promise<void> {
  save(KEY, undefined)
  await enter()
}
