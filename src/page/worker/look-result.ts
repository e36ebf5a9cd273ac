import type { ResponseTrace, TracedPrompt } from '../../endpoint/server/service/trace/response-trace.js'

/** A record of a trace, or the tokens that a server hides. */
export type ShownRecord = ResponseTrace['data'][number]

/** What the worker is asked: what a text is. */
export interface LookRequest {
  readonly id: number
  readonly source: Blob
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

/** How often a rule is broken. */
export interface BrokenRule {
  readonly rule: string
  readonly severity: Finding['severity']
  readonly count: number
}

export type LookResult =
  | {
      readonly is: 'trace'
      readonly what: string
      readonly records: readonly ShownRecord[]
      readonly prompt?: TracedPrompt
    }
  | {
      readonly is: 'capture'
      readonly what: string
      /** All rules that are broken, in the order in which they first are. */
      readonly rules: readonly BrokenRule[]
      /** The first findings of each rule. */
      readonly findings: readonly Finding[]
      /** How each client reads each stream. */
      readonly clients: readonly (readonly string[])[]
      /** Why that is not said of all of it. */
      readonly unread?: string
    }
  | { readonly is: 'failed'; readonly why: string }

/** What the worker tells before its result. */
export type LookProgress =
  /** Records in parts, because the page takes over each part at once. */
  | { readonly records: readonly ShownRecord[] }
  /** How much is done, from 0 to 1. */
  | { readonly share: number }

/** A part of the worker's answer, or its end. */
export type LookAnswer = { readonly id: number } & (LookProgress | { readonly looked: LookResult })

/** Returns a trace of a server as it is shown. */
export function traceResult({
  response_id,
  status,
  data,
  prompt,
}: Pick<ResponseTrace, 'response_id' | 'status' | 'data' | 'prompt'>): LookResult {
  const what = `${response_id}, ${status.replace('_', ' ')}`
  return { is: 'trace', what, records: data, ...(prompt && { prompt }) }
}
