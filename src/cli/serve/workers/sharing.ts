import { UsageError } from '../../io.js'
import type { OPTIONS, ServeValues } from '../options.js'
import { isReadOnce, type Secret, STORE_VARIABLE } from '../secrets.js'
import type { ServeSettings } from '../settings.js'

/** What `--workers` makes of another option. */
export interface Sharing {
  /**
   * `same`: it has the same effect in each worker; `one`: there is one for all; `each`: each worker has its own; `refused`:
   * it cannot be given.
   */
  readonly is: 'same' | 'one' | 'each' | 'refused'
  /** How, unless it is the same; or why it is refused. */
  readonly about?: string
  /** Whether each worker reads the file that it names: standard input, or a pipe, can be read once. */
  readonly isRead?: true
}

const SAME: Sharing = { is: 'same' }
const READ: Sharing = { is: 'same', isRead: true }
const MCP = 'starts the commands and connects to the URLs itself; a session stays with its worker'
const COUNTS = 'counts for itself: N workers have N times as much'

/** What `--workers` makes of each option. */
export const SHARING: Readonly<Record<keyof typeof OPTIONS, Sharing>> = {
  replay: SAME,
  script: { is: 'each', about: 'plays it from its first turn on', isRead: true },
  model: { is: 'refused', about: 'each worker would load the weights again' },
  vllm: SAME,
  sglang: SAME,
  'llama-server': SAME,
  'chat-server': SAME,
  'skip-model-check': SAME,
  'structured-outputs': SAME,
  'chat-server-model': SAME,
  'chat-server-preset': SAME,
  'chat-server-config': READ,
  pass: SAME,
  'context-size': SAME,
  delay: SAME,
  config: READ,
  mcp: { is: 'each', about: MCP },
  'mcp-config': { is: 'each', about: MCP, isRead: true },
  offer: { is: 'each', about: MCP },
  'file-search': { is: 'each', about: 'reads the folder, and has its index in its own memory' },
  search: { is: 'each', about: 'has its own browser' },
  'search-allow': SAME,
  'search-domain': SAME,
  'search-robots': SAME,
  python: { is: 'refused', about: "a session of Python is one worker's, and the next response may be another's" },
  'python-image': SAME,
  'python-network': SAME,
  'offered-calls': SAME,
  instructions: READ,
  effort: SAME,
  approval: SAME,
  host: { is: 'one', about: 'the first process listens, and hands each connection to a worker, where it stays' },
  port: { is: 'one', about: 'the first process listens, and hands each connection to a worker, where it stays' },
  origin: SAME,
  'api-key': SAME,
  'api-keys': READ,
  'no-key': SAME,
  'seal-keys': READ,
  store: { is: 'one', about: 'workers share nothing else, so it is required' },
  durability: SAME,
  keep: SAME,
  'keep-bytes': SAME,
  'model-alias': SAME,
  reasoning: SAME,
  'chat-reasoning': SAME,
  'chat-calls': SAME,
  policy: SAME,
  dialect: SAME,
  images: SAME,
  unknown: SAME,
  'unsupported-constraints': SAME,
  parallel: { is: 'each', about: COUNTS },
  limit: { is: 'each', about: COUNTS },
  workers: SAME,
  'engine-restarts': SAME,
  'on-disconnect': SAME,
  record: { is: 'one', about: 'a response is a file, which its worker writes' },
  date: SAME,
  'time-zone': SAME,
  'share-prefix-cache': SAME,
  'no-page': SAME,
  audit: { is: 'one', about: 'each worker appends whole lines, each by one write' },
  'audit-arguments': SAME,
  log: { is: 'one', about: 'the first process writes the lines of all workers, line by line' },
  verbose: { is: 'refused', about: 'the timelines of several workers would mix' },
}

/**
 * Refuses what workers cannot share.
 *
 * @param values - the options as they were given, by their names
 * @throws UsageError
 */
export function checkShared(
  values: ServeValues & { readonly config?: string | undefined },
  settings: ServeSettings,
): void {
  const { keys, store } = settings
  if (store === undefined) {
    throw new UsageError(
      `--workers: expected only with --store or ${STORE_VARIABLE}: without it, a response is known to one worker alone`,
    )
  }
  for (const [name, { is, about, isRead }] of Object.entries(SHARING)) {
    const given = values[name as keyof ServeValues]
    if (given === undefined || given === false) continue
    if (is === 'refused') throw new UsageError(`--${name}: expected without --workers: ${about}`)
    if (isRead && typeof given === 'string') checkFile({ name: `--${name}`, file: given, isShown: true })
  }
  if (settings.engine === 'replay' && settings.target === '-') throw readOnce('--replay', 'standard input')
  for (const secret of [...Object.values(keys), store]) if (secret !== undefined) checkFile(secret)
}

function checkFile(secret: Secret): void {
  if ('file' in secret && isReadOnce(secret))
    throw readOnce(secret.name, secret.file === '-' ? 'standard input' : 'a pipe')
}

function readOnce(name: string, got: string): UsageError {
  return new UsageError(`${name}: expected a file with --workers, each of which reads it, got ${got}`)
}
