import { unixSeconds } from '../../../shared/system/unix-seconds.js'
import { ToolError } from '../tool-error.js'
import type { CellResult, Session } from './session.js'

/** Whose session, and which of theirs. */
export interface SessionKey {
  readonly owner: string
  readonly id: string
}

export interface SessionsOptions {
  /** Starts a session. @param onEnd - called when it ends, in any way */
  start(onEnd: () => void): Session
  /** The maximum number of sessions. */
  readonly max: number
  /** How long an idle session is kept, in seconds. */
  readonly idleSeconds: number
}

interface Kept {
  readonly owner: string
  readonly session: Session
  /** The number of cells that run or wait. */
  cells: number
  /** Since when none does, in Unix seconds. */
  idleSince: number
  idle: ReturnType<typeof setTimeout> | undefined
}

/** The sessions of this process, by owner and id. An owner finds no other's. */
export class Sessions {
  readonly #options: SessionsOptions
  /** The one that was used last is the last. */
  readonly #kept = new Map<string, Kept>()

  constructor(options: SessionsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#kept.size
  }

  has(key: SessionKey): boolean {
    return this.#kept.has(nameOf(key))
  }

  /** Returns until when a session is kept if no further cell uses it, in Unix seconds. Undefined if there is none. */
  expiryOf(key: SessionKey): number | undefined {
    const kept = this.#kept.get(nameOf(key))
    return kept && (kept.cells > 0 ? unixSeconds() : kept.idleSince) + this.#options.idleSeconds
  }

  /** Gives a session another id. It has no effect if there is none. */
  rename(from: SessionKey, id: string): void {
    const kept = this.#kept.get(nameOf(from))
    if (kept === undefined) return
    this.#kept.delete(nameOf(from))
    this.#kept.set(nameOf({ ...from, id }), kept)
  }

  /** Runs a cell in a session, which starts if there is none. @throws ToolError if all are busy */
  async run(key: SessionKey, code: string, signal: AbortSignal): Promise<CellResult> {
    const kept = this.#kept.get(nameOf(key)) ?? this.#start(key)
    clearTimeout(kept.idle)
    kept.cells += 1
    try {
      return await kept.session.run(code, signal)
    } finally {
      kept.cells -= 1
      if (kept.cells === 0 && !kept.session.isOver) this.#rest(kept)
    }
  }

  /** Ends all sessions. */
  close(): void {
    for (const { session } of [...this.#kept.values()]) session.close()
  }

  #start({ owner, id }: SessionKey): Kept {
    if (this.size >= this.#options.max) this.#evict()
    const session = this.#options.start(() => {
      clearTimeout(kept.idle)
      // Its id may have changed.
      for (const [name, each] of this.#kept) if (each === kept) this.#kept.delete(name)
    })
    const kept: Kept = { owner, session, cells: 0, idleSince: 0, idle: undefined }
    this.#kept.set(nameOf({ owner, id }), kept)
    return kept
  }

  #rest(kept: Kept): void {
    kept.idleSince = unixSeconds()
    kept.idle = setTimeout(() => kept.session.close(), this.#options.idleSeconds * 1000)
    for (const [name, each] of this.#kept) {
      if (each !== kept) continue
      this.#kept.delete(name)
      this.#kept.set(name, kept)
      return
    }
  }

  /** Ends the session that has been idle for longest, of the owner who has most: no owner can end all of the others'. */
  #evict(): void {
    const counts = new Map<string, number>()
    for (const { owner } of this.#kept.values()) counts.set(owner, (counts.get(owner) ?? 0) + 1)
    const idle = [...this.#kept.values()].filter(({ cells }) => cells === 0)
    const most = idle.reduce((max, { owner }) => Math.max(max, counts.get(owner) ?? 0), 0)
    const victim = idle.find(({ owner }) => counts.get(owner) === most)
    if (victim === undefined) throw new ToolError('All Python sessions are busy. Try again later.')
    victim.session.close()
  }
}

function nameOf({ owner, id }: SessionKey): string {
  return JSON.stringify([owner, id])
}
