import { readFileSync } from 'node:fs'
import { uptime } from 'node:os'

/** A clock that nobody sets, and that all processes on a file share. */
export interface LeaseClock {
  /** Another one after each start of the machine, since the clock then begins anew. */
  readonly id: string
  /** Seconds since some moment that all processes share. */
  seconds(): number
}

export function isLeaseClock(value: unknown): boolean {
  const { id, seconds } = (value ?? {}) as Partial<LeaseClock>
  return typeof id === 'string' && typeof seconds === 'function'
}

const BOOT_ID = '/proc/sys/kernel/random/boot_id'

/** Returns the clock of the machine since its start. */
export function machineClock(): LeaseClock {
  return { id: startOfMachine(), seconds: () => Number(process.hrtime.bigint()) / 1e9 }
}

function startOfMachine(): string {
  try {
    return readFileSync(BOOT_ID, 'utf8').trim()
  } catch {
    // Not Linux. Where two processes disagree, each waits for a lease longer before it takes over from the other.
    return `started ${Math.round((Date.now() / 1000 - uptime()) / 60)}`
  }
}
