import type { ResponseTrace, TracedPrompt } from '../../endpoint/server/service/trace/response-trace.js'

/** A record of a trace, or the tokens that a server hides. */
export type ShownRecord = ResponseTrace['data'][number]

/** What the worker is asked: what a pasted or dropped text is. */
export interface LookRequest {
  readonly id: number
  readonly text: string
}

/** A broken rule, at its line. */
export interface Finding {
  readonly line: number
  readonly rule: string
  readonly severity: 'error' | 'warning'
  readonly words: string
  /** The beginning of the line. */
  readonly excerpt: string
}

export type Looked =
  | {
      readonly is: 'trace'
      readonly what: string
      readonly records: readonly ShownRecord[]
      readonly prompt?: TracedPrompt
    }
  | {
      readonly is: 'capture'
      readonly what: string
      readonly findings: readonly Finding[]
      /** The number of findings that are left out. */
      readonly more: number
      /** How each client reads each stream. */
      readonly clients: readonly string[]
    }
  | { readonly is: 'failed'; readonly why: string }

/** A part of the worker's answer, or its end. Records come in parts, because the page takes over each at once. */
export type LookAnswer =
  | { readonly id: number; readonly records: readonly ShownRecord[] }
  | { readonly id: number; readonly looked: Looked }

/** Returns a trace of a server as it is shown. */
export function lookedOf({
  response_id,
  status,
  data,
  prompt,
}: Pick<ResponseTrace, 'response_id' | 'status' | 'data' | 'prompt'>): Looked {
  const what = `${response_id}, ${status.replace('_', ' ')}`
  return { is: 'trace', what, records: data, ...(prompt && { prompt }) }
}
