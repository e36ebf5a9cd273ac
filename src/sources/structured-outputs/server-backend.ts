import { checkHolds } from '../../engine/check-constraint.js'
import type { Constraint, EngineCapabilities } from '../../engine/constraint.js'
import { TransientError } from '../http/failure-of.js'
import type { HttpClient } from '../http/http-client.js'
import type { HttpProtocol } from '../http/http-engine.js'
import { remembered } from '../http/remembered.js'
import type { GrammarBackend } from './backends.js'
import { heldBy, type SentConstraint, sentTo } from './fit-constraint.js'

/** Asks a server what compiles its constraints. @throws EngineError if it does not answer */
export type FindBackend = (client: HttpClient, signal: AbortSignal) => Promise<GrammarBackend>

export interface ServerBackendOptions {
  /** The engine's name, for messages. */
  readonly engine: string
  readonly find: FindBackend
  /** Whether the server takes grammars of Lark. */
  readonly hasLark: boolean
  /** The backend that the host names; the server is not asked then. */
  readonly named: GrammarBackend | undefined
  /** Told of the first backend that is found, and of each change. */
  readonly onBackend: ((backend: GrammarBackend) => void) | undefined
  /** Called where another process may answer next: what else is known of this one is to be asked again. */
  readonly onDoubt?: () => void
}

/** The grammar backend of a server: what it can be held to, and how it is told. The members are those of the protocol. */
export interface ServerBackend extends Required<Pick<HttpProtocol, 'held' | 'onFailure'>> {
  /**
   * A constraint as the backend takes it.
   *
   * @throws HarmonyResponsesError `bad_option` if it cannot hold the constraint
   * @throws EngineError if the server does not say what its backend is
   */
  send(constraint: Constraint, client: HttpClient, signal: AbortSignal): Promise<SentConstraint>
}

/** Asks for the backend once for calls that come together, when a constraint first needs it. */
export function createServerBackend({
  engine,
  find,
  hasLark,
  named,
  onBackend,
  onDoubt,
}: ServerBackendOptions): ServerBackend {
  let reported: GrammarBackend | undefined
  const found = remembered(async (client, signal) => {
    const backend = await find(client, signal)
    if (backend !== reported) onBackend?.(backend)
    reported = backend
    return backend
  })
  const current = async (client: HttpClient, signal: AbortSignal): Promise<GrammarBackend> =>
    named ?? (await found.get(client, signal))

  async function held(client: HttpClient, signal: AbortSignal): Promise<EngineCapabilities> {
    return heldBy(await current(client, signal), { hasLark })
  }

  return {
    held,
    async send(constraint, client, signal) {
      const backend = await current(client, signal)
      return sentTo(backend, checkHolds(engine, heldBy(backend, { hasLark }), constraint))
    },
    // Another process, with another backend, may answer next.
    onFailure({ constraint }, error) {
      if (constraint === undefined && !(error instanceof TransientError)) return
      found.forget()
      onDoubt?.()
    },
  }
}
