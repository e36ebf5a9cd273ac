import type { TokenEngine } from '../../engine/index.js'
import type { Entry } from '../../journal/entry.js'
import type { ParseRequestOptions } from '../../request/index.js'
import type { RespondOptions, ResponseHandle } from '../../respond/index.js'
import type { Seal } from '../../seal/index.js'
import type { Pause } from '../../slices.js'
import type { ResponseStore } from '../../stores/store.js'
import type { TokenTable } from '../../tokens/token-table.js'
import type { Tool } from '../../tools/tool.js'
import type { ObserverOptions } from '../observe/observer.js'
import type { AdmissionLimits } from './admission.js'
import type { AuditOptions } from './audit.js'
import type { StoreLimits } from './bounded-store.js'
import type { SilenceLimits } from './guarded-engine.js'
import type { HealthLimits } from './health.js'
import type { MemoryLimits } from './memory.js'
import type { OperatorOptions } from './operator-options.js'
import type { OnDisconnect } from './readers.js'

/** A response that is open, and whose it is. */
export interface OwnedResponse extends ResponseHandle {
  readonly owner: string
}

/** What `respond` may be given besides what the service decides for each request. */
export interface ResponseSettings extends ResponseOptions {
  /** As in `respond`, for each response: keep the handle to put items of your own into its output. */
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
  | 'identity'
  | 'knowledgeCutoff'
  | 'onDiagnostic'
  | 'onProgress'
  | 'onUnsupportedConstraint'
  | 'onInvalidOutput'
>

export interface ServiceLimits extends AdmissionLimits, HealthLimits, MemoryLimits, SilenceLimits, StoreLimits {
  /** How often one response may call the model. Default 32. */
  readonly turns?: number
  /** How long one response may take, in seconds: then it ends incomplete. Default: no limit. */
  readonly responseSeconds?: number
  /** How many tokens `input_tokens` counts: a longer prompt is refused. Default 4,194,304. */
  readonly countedTokens?: number
  /** For the texts of tools and instructions that are kept encoded, in bytes. Default 16,777,216: 16 MiB. */
  readonly knownTextBytes?: number
}

/** Options of the service behind the endpoint. */
export interface ServiceOptions extends ObserverOptions, AuditOptions, OperatorOptions {
  /** The engine of all models, or the engine of each: undefined for a model that there is not. */
  readonly engine: TokenEngine | ((model: string) => TokenEngine | undefined)
  /**
   * The names that are served, and that `GET /v1/models` lists; any other is 404 `model_not_found`. The first is the model
   * of a request that names none. Default: `gpt-oss` is listed, and every name is served.
   */
  readonly models?: readonly string[]
  /**
   * What becomes of a request for a model that `models` does not name: `any` serves it under the name that it asks for, as
   * Codex needs (it asks for `gpt-5.4`), `refuse` answers 404. An `engine` that is a function is asked in either case.
   * Default: `refuse` with `models`, else `any`.
   */
  readonly otherModels?: 'any' | 'refuse'
  /** What runs hosted calls. The model is told of the built-in tools that one of them answers. */
  readonly tools?: readonly Tool[]
  /** Default: in memory, bounded and expiring. */
  readonly store?: ResponseStore
  /**
   * Seals what clients keep. Default: a seal with a random key, so that nothing opens after a restart; reasoning that
   * does not open is left out then, and not refused; a compaction that does not is.
   */
  readonly seal?: Seal
  readonly tokenTable: TokenTable
  readonly limits?: ServiceLimits
  /** How requests are checked. */
  readonly request?: ParseRequestOptions
  /** How all responses are made. */
  readonly response?: ResponseSettings
  /** What becomes of a response whose client leaves. Default `stop`: engine and tools stop before their next step. */
  readonly onDisconnect?: OnDisconnect
  /** Receives each entry of each response, once it is written: for debugging, since entries are content. */
  readonly onEntry?: (responseId: string, entry: Entry) => void
  /**
   * Waits until other requests were served: called between two slices, of some milliseconds each, of what takes long.
   * Default: a turn of the event loop.
   */
  readonly pause?: Pause
  /** Unix time in whole seconds. Default: the system's. */
  readonly clock?: () => number
  /** Receives what the host's own code threw: engines, tools, the store. Default: `console.error`. */
  readonly onError?: (error: unknown) => void
}
