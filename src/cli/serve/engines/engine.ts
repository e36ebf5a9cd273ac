import type { TokenTable } from '../../../core/tokens/token-table.js'
import type { Tool } from '../../../endpoint/tools/tool.js'
import type { EngineServer, ServedEngine } from '../../../engines/contract/engine-server.js'
import type { TokenEngine } from '../../../engines/contract/index.js'
import type { ChatPreset } from '../../../engines/sources/chat/presets.js'
import type { GrammarBackend, NamedBackend } from '../../../engines/sources/structured-outputs/backends.js'
import type { Io } from '../../io.js'
import type { ServeOption } from '../serve-option.js'

interface Row {
  /** Its option of `serve`. */
  readonly option: ServeOption
  /** The options that it takes, of those that are only for some engines. */
  readonly options: readonly string[]
  /** Whether it is a server that may ask for a key. */
  readonly needsKey?: boolean
}

/** An engine that a module of its own opens. */
interface OwnEngine extends Row {
  /** Imports what opens it. */
  opener(): Promise<OpenEngine>
}

/** A server of gpt-oss, which is asked over HTTP. */
export interface ServerEngine extends Row {
  /** Imports what creates its engine. */
  creator(): Promise<CreateServed>
  /** Whether it has to name the length of its context. */
  readonly namesContext?: boolean
}

/** What answers requests: an option of `serve`, and how it is opened. */
export type Engine = OwnEngine | ServerEngine

/** Opens an engine. @throws UsageError if it cannot be opened with these settings */
export type OpenEngine = (settings: EngineSettings, needs: EngineNeeds, io: Io) => Promise<OpenedEngine>

/** Creates the engine of a server. */
export type CreateServed = (options: {
  readonly url: string
  readonly apiKey?: () => string
  readonly checkModel: boolean
  readonly structuredOutputs?: NamedBackend
  readonly contextSize?: number
  readonly onBackend?: (backend: GrammarBackend) => void
}) => ServedEngine

/** The settings that engines have; which of them one takes, the options say. */
export interface EngineSettings {
  /** The file, folder or URL of its option; undefined for the package's recordings. */
  readonly target: string | undefined
  /** Milliseconds before each token. */
  readonly delay: number
  /** The model's context in tokens; undefined for what memory allows, or what the server says. */
  readonly contextSize: number | undefined
  /** Concurrent calls of the model. */
  readonly parallel: number | undefined
  readonly skipModelCheck: boolean
  /** The grammar backend; undefined to ask the server. */
  readonly structuredOutputs: NamedBackend | undefined
  /** The model of a server of Chat Completions; undefined for its only one. */
  readonly chatServerModel: string | undefined
  /** Which known server it is. */
  readonly chatServerPreset: ChatPreset | undefined
  /** A file with what differs from the preset. */
  readonly chatServerConfig: string | undefined
}

/** What engines need besides the settings. */
export interface EngineNeeds {
  /** The available MCP servers, whose calls are not replayed. */
  readonly labels: ReadonlySet<string>
  readonly tokenTable: TokenTable
  /** Returns the key of the engine's server; undefined if it has none. */
  readonly key: (() => string) | undefined
}

/** A ready engine, and its accessories. */
export interface OpenedEngine {
  readonly engine: TokenEngine
  /** The server behind it, which can answer requests itself. */
  readonly server?: EngineServer
  /** The name of its model, where that is not gpt-oss. */
  readonly model?: string
  /** Its description, for people. */
  readonly about: string
  /** Requests whose answers are recorded. */
  readonly examples?: readonly object[]
  /** Tools that answer hosted calls if no others do. */
  readonly tools?: readonly Tool[]
  /**
   * Returns the name of the server's grammar backend, `unknown` before it was needed. Absent for engines with only one.
   */
  readonly grammarBackend?: () => string
  /** Whether its server has to name the length of its context. */
  readonly namesContext?: boolean
  close?(): Promise<void>
}
