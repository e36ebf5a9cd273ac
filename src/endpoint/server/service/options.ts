import type { TokenTable } from '../../../core/tokens/token-table.js'
import type { TokenEngine } from '../../../engines/contract/index.js'
import type { Pause } from '../../../shared/slices.js'
import type { Entry } from '../../journal/entry.js'
import type { ParseRequestOptions } from '../../request/index.js'
import type { RespondOptions, ResponseHandle } from '../../respond/index.js'
import type { Seal } from '../../seal/index.js'
import type { ResponseStore } from '../../stores/store.js'
import type { Tool } from '../../tools/tool.js'
import type { ObserverOptions } from '../observe/observer.js'
import type { AuditOptions } from './audit.js'
import type { HealthLimits } from './health.js'
import type { AdmissionLimits } from './limits/admission.js'
import type { StatusLimits } from './limits/call-watch.js'
import type { SilenceLimits } from './limits/guarded-engine.js'
import type { MemoryLimits } from './limits/memory.js'
import type { OperatorOptions } from './operator-options.js'
import type { PassLimits, PassOnOptions } from './pass-on-options.js'
import type { OnDisconnect } from './running/readers.js'
import type { StoreLimits } from './storage/bounded-store.js'

/** An open response with its owner. */
export interface OwnedResponse extends ResponseHandle {
  /** The owner of the response. */
  readonly owner: string
}

/** Options of `respond`, except for those that the service sets for each request. */
export interface ResponseSettings extends ResponseOptions {
  /** See `respond`; called for each response. Keep the handle to insert items of your own into its output. */
  readonly onOpen?: (response: OwnedResponse) => void | Promise<void>
}

type ResponseOptions = Pick<
  RespondOptions,
  | 'policy'
  | 'mcpApproval'
  | 'reasoning'
  | 'citations'
  | 'containerId'
  | 'calls'
  | 'usageByTurn'
  | 'errorEvent'
  | 'images'
  | 'date'
  | 'identity'
  | 'knowledgeCutoff'
  | 'onDiagnostic'
  | 'onProgress'
  | 'onUnsupportedConstraint'
  | 'onInvalidOutput'
  | 'engineRestarts'
  | 'delay'
>

/** How much one server works on and keeps at once, and how long it waits. */
export interface ServiceLimits
  extends AdmissionLimits,
    HealthLimits,
    MemoryLimits,
    PassLimits,
    SilenceLimits,
    StatusLimits,
    StoreLimits {
  /** The maximum number of model calls of one response. Default 32. */
  readonly turns?: number
  /** The time limit of one response, in seconds, after which it ends incomplete. Default: none. */
  readonly responseSeconds?: number
  /** The maximum number of tokens that `input_tokens` counts: a longer prompt is refused. Default 4,194,304. */
  readonly countedTokens?: number
  /** The limit of the cache of encoded texts of tools and instructions, in bytes. Default 16,777,216: 16 MiB. */
  readonly knownTextBytes?: number
}

/** Options of the service behind the endpoint. */
export interface ServiceOptions extends ObserverOptions, AuditOptions, OperatorOptions {
  /** The engine of all models, or a function that returns the engine of each: undefined for an unknown model. */
  readonly engine: TokenEngine | ((model: string) => TokenEngine | undefined)
  /**
   * The served names, which `GET /v1/models` lists; any other is 404 `model_not_found`. The first is the model of a
   * request that names none. Default: `gpt-oss` is listed, and every name is served.
   */
  readonly models?: readonly string[]
  /**
   * How to treat a request for a model that `models` does not list: `any` serves it under the requested name, as Codex
   * needs (it requests `gpt-5.4`), `refuse` answers 404. An `engine` function is called in either case. Default:
   * `refuse` with `models`, else `any`.
   */
  readonly otherModels?: 'any' | 'refuse'
  /**
   * The requests that the engine's server answers itself: its key is added, and nothing of the client's but the body and
   * its trace context is sent. Default: none.
   */
  readonly passOn?: PassOnOptions
  /** The tools that run hosted calls. The model is taught the built-in tools that one of them answers. */
  readonly tools?: readonly Tool[]
  /** The store of responses. Default: in memory, bounded and expiring. */
  readonly store?: ResponseStore
  /**
   * Seals content that clients keep. Default: a seal with a random key, so that nothing opens after a restart;
   * reasoning that does not open is then omitted rather than refused; a compaction that does not open is refused.
   */
  readonly seal?: Seal
  /** The vocabulary: `await loadTokenTable()`. */
  readonly tokenTable: TokenTable
  /** The limits of the service. Each has a default. */
  readonly limits?: ServiceLimits
  /**
   * How requests are parsed. `unknown` holds for those of Chat Completions and Messages, too; what it skips is reported to
   * the `onDiagnostic` of `response`.
   */
  readonly request?: Omit<ParseRequestOptions, 'onDiagnostic'>
  /** How all responses run. */
  readonly response?: ResponseSettings
  /** How to treat a response whose client leaves. Default `stop`: engine and tools stop before their next step. */
  readonly onDisconnect?: OnDisconnect
  /**
   * Lets all owners share the engine's prefix cache, which is faster for prompts that they have in common. By the count of
   * cached tokens, and by time, an owner can then test guesses at what others asked. Default: each has its own, where
   * the engine knows `cacheSalt`.
   */
  readonly sharedPrefixCache?: boolean
  /** Receives each entry of each response, once written: for debugging, since entries are content. */
  readonly onEntry?: (responseId: string, entry: Entry) => void
  /**
   * Waits until other requests were served: called between slices, of some milliseconds each, of long work. Default: a
   * turn of the event loop.
   */
  readonly pause?: Pause
  /** Unix time in whole seconds. Default: the system's. */
  readonly clock?: () => number
  /** Receives errors of the host's own code: engines, tools, the store. Default: `console.error`. */
  readonly onError?: (error: unknown) => void
}
