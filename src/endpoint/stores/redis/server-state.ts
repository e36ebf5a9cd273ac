import { HarmonyResponsesError } from '../../../shared/errors.js'
import { isReply } from './failures.js'

/** What a store has to know of the server that it is connected to. */
export interface ServerState {
  /** Another one after each start of the server. */
  readonly run: string
  /** Whether it loses no acknowledged write when it ends, in whatever way. */
  readonly isSafe: boolean
  /** Whether it was never a copy of another server, whose last writes it may lack. */
  readonly isOriginal: boolean
}

/** Sends a command, and returns its answer as text. */
export type SendCommand = (...command: readonly string[]) => Promise<unknown>

/** The oldest version of Redis. Valkey, which begins after it, also says which version of Redis it is like. */
const OLDEST = 7
const NO_ID = /^0*$/

/**
 * Reads what a server is.
 *
 * @throws HarmonyResponsesError `bad_option` if it may drop what clients were told is kept, or cannot run the steps of a store;
 *   the server's error, also while it is starting
 */
export async function serverState(ask: SendCommand, durability: 'process' | 'power'): Promise<ServerState> {
  const info = infoOf(String(await ask('INFO', 'everything')))
  // Meanwhile it says that it writes no file.
  if (info.get('loading') === '1') throw new Error('LOADING Redis is loading the dataset in memory')
  const version = info.get('redis_version') ?? 'unknown'
  if (!(Number.parseInt(version, 10) >= OLDEST)) throw refused(`Redis ${OLDEST} or newer, or Valkey, got ${version}`)
  if (info.get('cluster_enabled') === '1') {
    throw refused('a server that is no Cluster, whose slots no step can span: one step is about many owners')
  }
  if (info.get('role') !== 'master') throw refused('the server that takes writes, got a replica of it')
  const policy = info.get('maxmemory_policy')
  if (policy !== 'noeviction') {
    throw refused(
      `maxmemory-policy noeviction, got ${policy}, which may drop responses that clients were told are kept`,
    )
  }
  const isWritten = info.get('aof_enabled') === '1'
  const settings = isWritten ? await appendSettings(ask) : undefined
  const isSafe = isWritten && settings?.['appendfsync'] === 'always' && settings['no-appendfsync-on-rewrite'] === 'no'
  if (durability === 'power' && !isSafe) throw refused(`${forPower(isWritten, settings)} for durability power`)
  return { run: info.get('run_id') ?? '', isSafe, isOriginal: NO_ID.test(info.get('master_replid2') ?? '') }
}

function infoOf(text: string): ReadonlyMap<string, string> {
  const lines = text.split('\r\n').filter((line) => line.includes(':'))
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]))
}

type AppendSettings = Readonly<Record<string, string>>

/** Returns how the server writes its file; undefined if it does not tell this user. */
async function appendSettings(ask: SendCommand): Promise<AppendSettings | undefined> {
  try {
    const listed = [
      ...((await ask('CONFIG', 'GET', 'appendfsync')) as readonly unknown[]),
      ...((await ask('CONFIG', 'GET', 'no-appendfsync-on-rewrite')) as readonly unknown[]),
    ].map(String)
    return Object.fromEntries(listed.flatMap((name, at) => (at % 2 === 0 ? [[name, listed[at + 1] ?? '']] : [])))
  } catch (error) {
    // Answered, but refused: NOPERM, or a server of a provider that hides the command.
    if (isReply(error)) return undefined
    throw error
  }
}

function forPower(isWritten: boolean, settings: AppendSettings | undefined): string {
  if (!isWritten) return 'appendonly yes'
  if (settings === undefined) return 'a user that may read appendfsync (CONFIG GET)'
  if (settings['appendfsync'] === 'always') return 'no-appendfsync-on-rewrite no'
  return `appendfsync always, got ${settings['appendfsync']},`
}

function refused(expected: string): HarmonyResponsesError {
  return new HarmonyResponsesError('bad_option', `createRedisStore: expected ${expected}`)
}
