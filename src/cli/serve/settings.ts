import type { PassedPath } from '../../engines/contract/engine-server.js'
import type { Checked } from '../options/option.js'
import type { EngineSettings } from './engines/engine.js'
import type { ENGINES } from './engines/index.js'
import type { KeySources } from './keyring.js'
import type { ServeLimits } from './limits.js'
import type { NamedServer } from './mcp-servers.js'
import type { OPTIONS } from './options.js'
import type { Secret } from './secrets.js'
import type { SearchChoice } from './web-search/search-choice.js'

type Options = Checked<typeof OPTIONS>

/** The settings of `serve`: its options, checked one by one and with each other, and what follows from them. */
export interface ServeSettings
  extends Omit<
      Options,
      | keyof Derived
      | 'config'
      | 'offer'
      | 'fileSearch'
      | 'search'
      | 'searchAllow'
      | 'searchDomain'
      | 'searchRobots'
      | 'limit'
    >,
    Derived {}

interface Derived extends EngineSettings {
  readonly engine: keyof typeof ENGINES
  /** The paths that the engine's server answers itself. */
  readonly pass: readonly PassedPath[]
  readonly mcp: readonly NamedServer[]
  /** The labels of the servers that are offered to each response. */
  readonly offered: readonly string[]
  readonly folders: readonly FolderChoice[]
  /** The search that the browser uses; undefined without a browser. */
  readonly search: SearchChoice | undefined
  readonly host: string
  readonly port: number
  /** The sources of the keys; those that seal are undefined for the file of the store's, or a random key. */
  readonly keys: KeySources
  /** The file or the address of the store; undefined for the memory of the process. */
  readonly store: Secret | undefined
  /** The names of the model, its own first. */
  readonly models: readonly [string, ...string[]]
  readonly servesAnyName: boolean
  /** The form of reasoning; undefined for the library's default, which depends on the request. */
  readonly reasoning: Exclude<Options['reasoning'], 'request'> | undefined
  readonly limits: ServeLimits
  /** The date that the model is told at a time; undefined: by UTC. */
  readonly toldDate: ((at: number) => string | undefined) | undefined
}

/** A folder that `file_search` searches, as the vector store with this id. */
export interface FolderChoice {
  readonly folder: string
  readonly storeId: string
}
