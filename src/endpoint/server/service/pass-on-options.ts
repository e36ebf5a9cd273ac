import type { EngineServer, PassedPath } from '../../../engines/contract/engine-server.js'

/** Paths that the engine's own server answers. */
export interface PassOnOptions {
  /** The server of an engine behind HTTP: `engine.server`. */
  readonly server: EngineServer
  /** The paths that it answers for clients. */
  readonly paths: readonly PassedPath[]
}

/** What bounds an answer that is passed on. */
export interface PassLimits {
  /** The limit of an answer that is passed on, in bytes. Default 268,435,456: 256 MiB. */
  readonly passedBytes?: number
}
