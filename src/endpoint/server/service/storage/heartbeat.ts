/** A holder of a lease that has to be renewed. */
export interface Leased {
  /** Renews the lease, unless an append has renewed it since the last call. */
  renew(): Promise<void>
}

/** Renews the leases of responses that append nothing for a while: their model is thinking, or a tool is running. */
export interface Heartbeat {
  /** Returns a function that ends the renewal. */
  keep(leased: Leased): () => void
}

/** Renewals per lease period: two may fail. */
const BEATS = 3

/** @param leaseSeconds - undefined: leases are not renewed */
export function createHeartbeat(leaseSeconds: number | undefined, report: (error: unknown) => void): Heartbeat {
  const all = new Set<Leased>()
  let timer: ReturnType<typeof setInterval> | undefined

  function beat(): void {
    for (const leased of all) leased.renew().catch(report)
  }

  return {
    keep(leased) {
      if (leaseSeconds === undefined) return () => {}
      all.add(leased)
      if (timer === undefined) {
        timer = setInterval(beat, (leaseSeconds * 1000) / BEATS)
        unref(timer)
      }
      return () => {
        all.delete(leased)
        if (all.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
  }
}

/** Lets the process end although the timer runs. Runtimes other than Node use numbers for timers. */
export function unref(timer: unknown): void {
  ;(timer as { readonly unref?: () => void }).unref?.()
}
