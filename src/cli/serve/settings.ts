import type { UnknownPolicy } from '../../core/diagnostics/unknown-parts.js'
import type { AttachmentPolicy } from '../../endpoint/prompt/attachments.js'
import type { ServeOptions } from '../../endpoint/server/serve-responses.js'
import type { PassedPath } from '../../engines/contract/engine-server.js'
import type { NamedBackend } from '../../engines/sources/structured-outputs/backends.js'
import type { PolicyName } from '../../index.js'
import type { DIALECTS } from '../replay.js'
import type { KeySources } from './keyring.js'
import type { ServeLimits } from './limits.js'
import type { NamedServer } from './mcp-servers.js'

/** The values of `serve`'s options, by name. */
export interface ServeValues {
  readonly replay?: boolean | undefined
  readonly script?: string | undefined
  readonly model?: string | undefined
  readonly vllm?: string | undefined
  readonly sglang?: string | undefined
  readonly 'llama-server'?: string | undefined
  readonly 'skip-model-check'?: boolean | undefined
  readonly 'structured-outputs'?: string | undefined
  readonly pass?: readonly string[] | undefined
  readonly mcp?: readonly string[] | undefined
  readonly 'mcp-config'?: string | undefined
  readonly offer?: readonly string[] | undefined
  readonly 'file-search'?: readonly string[] | undefined
  readonly 'offered-calls'?: string | undefined
  readonly instructions?: string | undefined
  readonly approval?: string | undefined
  readonly host?: string | undefined
  readonly port?: string | undefined
  readonly origin?: readonly string[] | undefined
  readonly 'api-key'?: string | undefined
  readonly 'api-keys'?: string | undefined
  readonly 'no-key'?: boolean | undefined
  readonly 'seal-keys'?: string | undefined
  readonly store?: string | undefined
  readonly durability?: string | undefined
  readonly 'model-alias'?: readonly string[] | undefined
  readonly reasoning?: string | undefined
  readonly 'chat-reasoning'?: string | undefined
  readonly 'chat-calls'?: string | undefined
  readonly policy?: string | undefined
  readonly dialect?: string | undefined
  readonly images?: string | undefined
  readonly unknown?: string | undefined
  readonly 'unsupported-constraints'?: string | undefined
  readonly 'context-size'?: string | undefined
  readonly parallel?: string | undefined
  readonly limit?: readonly string[] | undefined
  readonly 'on-disconnect'?: string | undefined
  readonly delay?: string | undefined
  readonly record?: string | undefined
  readonly date?: string | undefined
  readonly 'time-zone'?: string | undefined
  readonly 'share-prefix-cache'?: boolean | undefined
  readonly audit?: string | undefined
  readonly 'audit-arguments'?: boolean | undefined
  readonly log?: string | undefined
  readonly verbose?: boolean | undefined
}

/** The source of answers. */
export type EngineChoice =
  | { readonly kind: 'replay'; readonly folder: string | undefined; readonly delayMs: number }
  | { readonly kind: 'script'; readonly file: string; readonly delayMs: number }
  | { readonly kind: 'model'; readonly file: string; readonly contextSize?: number; readonly parallel?: number }
  | {
      readonly kind: 'vllm' | 'sglang' | 'llama-server'
      readonly url: string
      readonly checkModel: boolean
      /** Its context in tokens; undefined to ask the server. */
      readonly contextSize?: number
      /** Its grammar backend; undefined to ask the server. */
      readonly structuredOutputs?: NamedBackend
    }

/** The checked settings of `serve`. */
export interface ServeSettings {
  readonly engine: EngineChoice
  /** The paths that the engine's server answers itself. */
  readonly passed: readonly PassedPath[]
  readonly mcp: readonly NamedServer[]
  /** A file with further MCP servers. */
  readonly mcpConfig: string | undefined
  /** The labels of the servers that are offered to each response. */
  readonly offered: readonly string[]
  readonly folders: readonly FolderChoice[]
  readonly offeredCalls: 'shown' | 'hidden'
  /** A file of instructions that precede the client's in every response. */
  readonly instructions: string | undefined
  readonly approval: keyof typeof APPROVALS
  readonly host: string
  readonly port: number
  /** The sites whose pages may send requests. */
  readonly origins: readonly string[]
  /** The sources of the keys; those that seal are undefined for the file of the store's, or a random key. */
  readonly keys: KeySources
  /** Whether it serves every client that reaches it, at any address and through any proxy. */
  readonly needsNoKey: boolean
  /** The store of responses; undefined for the memory of the process. */
  readonly store: StoreChoice | undefined
  /** The names of the model, its own first. */
  readonly models: readonly [string, ...string[]]
  readonly servesAnyName: boolean
  /** The form of reasoning; undefined for the library's default, which depends on the request. */
  readonly reasoning: (typeof REASONING)[keyof typeof REASONING]
  readonly chatReasoning: 'reasoning_content' | 'reasoning' | 'both'
  readonly chatCalls: 'hidden' | 'reasoning'
  readonly policy: PolicyName
  readonly dialect: (typeof DIALECTS)[number]
  readonly images: AttachmentPolicy
  readonly unknown: UnknownPolicy
  readonly onUnsupportedConstraint: 'relax' | 'refuse'
  readonly limits: ServeLimits
  readonly onDisconnect: NonNullable<ServeOptions['onDisconnect']>
  /** The folder for token fixtures of each response. */
  readonly recordings: string | undefined
  /** The date that the model is told at a time; undefined: by UTC. */
  readonly date: ((at: number) => string | undefined) | undefined
  readonly sharesPrefixCache: boolean
  /** The file for a line about each tool call. */
  readonly audit: string | undefined
  readonly auditsArguments: boolean
  readonly log: 'text' | 'json'
  readonly isVerbose: boolean
}

/** A folder that `file_search` searches, as the vector store with this id. */
export interface FolderChoice {
  readonly folder: string
  readonly storeId: string
}

/** The calls of MCP tools that need the user's approval, regardless of the request. */
export const APPROVALS = {
  request: undefined,
  always: 'always',
  writes: { never: { read_only: true } },
  never: 'never',
} as const

/** How reasoning is shown: as the request asks, or in one form regardless of it. */
export const REASONING = {
  request: undefined,
  raw: 'raw',
  summary: 'summary',
  both: 'both',
  hidden: 'hidden',
} as const

/** A database of responses. */
export interface StoreChoice {
  readonly file: string
  readonly durability: 'process' | 'power'
}
