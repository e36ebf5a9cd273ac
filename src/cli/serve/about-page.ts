import type { OfferedTool } from '../../endpoint/server/index.js'
import type { OpenedEngine } from './engines/engine.js'
import type { HostedTool } from './hosted-tool.js'
import type { NamedServer } from './mcp-servers.js'
import { KEY_VARIABLES } from './secrets.js'
import type { ServeSettings } from './settings.js'

/** What the page is told, by a server whose key its user has. */
export interface AboutPage {
  readonly version: string
  /** The description of the engine, for people. */
  readonly engine: string
  /** The names of the model, its own first. */
  readonly models: readonly string[]
  /** The environment variable that holds a client's key, in the lines that a user copies. */
  readonly keyVariable: string
  /** Declarations of the tools that this server runs, and that a request may choose. */
  readonly tools: readonly OfferedTool[]
  /** The names of the tools that every response has, whatever it asks for. */
  readonly offered: readonly string[]
  /** Requests that the engine has an answer to: those of recordings. None for a model. */
  readonly examples: readonly object[]
}

/** Describes the server for the page. It contains no address, no command and no key. */
export function aboutPage(
  { models, offered }: ServeSettings,
  { about, examples = [] }: OpenedEngine,
  servers: readonly NamedServer[],
  hosted: readonly HostedTool[],
  version: string,
): AboutPage {
  const tools: OfferedTool[] = servers.map(({ label }) => ({ type: 'mcp', server_label: label }))
  return {
    ...{ version, engine: about, models, offered, examples, keyVariable: KEY_VARIABLES.client },
    tools: [...tools, ...hosted.map(({ declaration }) => declaration)],
  }
}
