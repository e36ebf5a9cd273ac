import type { Lease } from '../../../endpoint/stores/store.js'
import type { BannerOptions } from '../banner.js'
import type { Family } from '../metric-families.js'

/** What the operator wants to know of all workers, or to be done in the one that it concerns. */
export type AdminQuestion =
  | { readonly about: 'snapshot' | 'parts' }
  | { readonly about: 'cancel'; readonly responseId: string }

/** What the first process tells a worker. */
export type ToWorker =
  | {
      readonly type: 'stop'
      /** 1: ends once its responses have; 2: ends now. */
      readonly times: number
    }
  | { readonly type: 'reload' }
  | { readonly type: 'read_metrics'; readonly id: number }
  /** The sum that it asked for. */
  | { readonly type: 'metrics'; readonly id: number; readonly families: readonly Family[] }
  | { readonly type: 'admin_question'; readonly id: number; readonly question: AdminQuestion }
  /** The leases of a worker that has ended, for it to give up. */
  | { readonly type: 'give_up'; readonly leases: readonly Lease[] }
  /** The answers to the question that it asked. */
  | { readonly type: 'admin_answers'; readonly id: number; readonly answers: readonly unknown[] }

/** What a worker tells the first process. */
export type FromWorker =
  | { readonly type: 'listening'; readonly about: BannerOptions }
  /** Whether it has the lease of a response that began there. */
  | { readonly type: 'lease'; readonly lease: Lease; readonly isHeld: boolean }
  | { readonly type: 'ask_metrics'; readonly id: number }
  /** Its own metrics; 0 where nobody asked, at its end. */
  | { readonly type: 'metrics_read'; readonly id: number; readonly families: readonly Family[] }
  | { readonly type: 'ask_admin'; readonly id: number; readonly question: AdminQuestion }
  | { readonly type: 'admin_answer'; readonly id: number; readonly answer: unknown }
