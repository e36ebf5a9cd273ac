import { callSafely } from '../../../shared/call-safely.js'
import { checkEnforces } from '../../contract/check-constraint.js'
import type { Constraint, EngineCapabilities } from '../../contract/constraint.js'
import { TransientError } from '../http/failure-of.js'
import type { HttpClient } from '../http/http-client.js'
import type { HttpProtocol } from '../http/http-engine.js'
import { remembered } from '../http/remembered.js'
import type { GrammarBackend } from './backends.js'
import { enforcedBy, type SentConstraint, sentTo } from './fit-constraint.js'

/** Asks a server for its grammar backend. @throws EngineError if it does not answer */
export type FindBackend = (client: HttpClient, signal: AbortSignal) => Promise<GrammarBackend>

export interface ServerBackendOptions {
  /** The engine's name, for messages. */
  readonly engine: string
  readonly find: FindBackend
  /** Whether the server accepts Lark grammars. */
  readonly hasLark: boolean
  /** The backend that the host names, in which case the server is not asked. */
  readonly named: GrammarBackend | undefined
  /** Called with the first backend that is found, and with each change. */
  readonly onBackend: ((backend: GrammarBackend) => void) | undefined
  /** Called when another process may answer next, so that other remembered facts are asked for again. */
  readonly onLimitsMaybeStale?: () => void
}

/**
 * The grammar backend of a server: its capabilities, and how constraints are sent. The members are those of the
 * protocol.
 */
export interface ServerBackend extends Required<Pick<HttpProtocol, 'enforced' | 'onFailure'>> {
  /**
   * Returns a constraint in the backend's form.
   *
   * @throws HarmonyResponsesError `bad_option` if it cannot enforce the constraint
   * @throws EngineError if the server does not report its backend
   */
  send(constraint: Constraint, client: HttpClient, signal: AbortSignal): Promise<SentConstraint>
}

/** Asks for the backend, once for concurrent calls, when a constraint first needs it. */
export function createServerBackend({
  engine,
  find,
  hasLark,
  named,
  onBackend,
  onLimitsMaybeStale,
}: ServerBackendOptions): ServerBackend {
  let reported: GrammarBackend | undefined
  const found = remembered(async (client, signal) => {
    const backend = await find(client, signal)
    // A listener that throws must not fail the calls that need the backend.
    if (backend !== reported) callSafely(onBackend, backend, (error) => console.error(error))
    reported = backend
    return backend
  })
  const current = async (client: HttpClient, signal: AbortSignal): Promise<GrammarBackend> =>
    named ?? (await found.get(client, signal))

  async function enforced(client: HttpClient, signal: AbortSignal): Promise<EngineCapabilities> {
    return enforcedBy(await current(client, signal), { hasLark })
  }

  return {
    enforced,
    async send(constraint, client, signal) {
      const backend = await current(client, signal)
      return sentTo(backend, checkEnforces(engine, enforcedBy(backend, { hasLark }), constraint))
    },
    // Another process, with another backend, may answer next. A busy one is the same, and questions would add to its load.
    onFailure({ constraint }, error) {
      if (error instanceof TransientError && error.status === 429) return
      if (constraint === undefined && !(error instanceof TransientError)) return
      found.forget()
      onLimitsMaybeStale?.()
    },
  }
}
