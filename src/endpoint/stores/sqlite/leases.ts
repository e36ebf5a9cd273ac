import type { Moment } from '../database/expiry.js'
import type { ExpiredResponse } from '../store.js'
import type { Row, Value } from './driver.js'
import type { Statements } from './statements.js'

/** Whose lease has expired. Called within transactions. */
export interface Leases {
  isExpired(response: Row, time: Moment): boolean
  expired(max: number, time: Moment): readonly ExpiredResponse[]
}

/** The most leases of other clocks that are watched at a time. */
const MAX_WATCHED = 4096
/** How long a lease lasts whose length is unknown: that of an older version of this file. */
const UNKNOWN_SECONDS = 10

interface Watched {
  /** Another one after each renewal. */
  readonly mark: string
  /** By this process's clock. */
  readonly since: number
}

/**
 * Leases are compared by the clock of their processes, which nobody sets. One of another clock, from before the machine was
 * started again, has expired when this process has seen it unrenewed for as long as it lasts.
 *
 * @param clock - the id of this process's clock
 */
export function createLeases({ sql }: Pick<Statements, 'sql'>, clock: string): Leases {
  let watched = new Map<Value, Watched>()

  function watch(response: Row, { steady }: Moment): Watched {
    const { rid, epoch, lease_until: until, lease_clock: id } = response
    const mark = JSON.stringify([epoch, until, id])
    const known = watched.get(rid as Value)
    return known?.mark === mark ? known : { mark, since: steady }
  }

  function isExpired(response: Row, time: Moment): boolean {
    const { rid, lease_until: until, lease_clock: id, lease_seconds: seconds } = response
    if (id === clock) return (until as number) <= time.steady
    const latest = watch(response, time)
    if (watched.size < MAX_WATCHED) watched.set(rid as Value, latest)
    return time.steady - latest.since >= ((seconds as number | null) ?? UNKNOWN_SECONDS)
  }

  /** Returns the responses with leases of other clocks, and forgets those that there are no more. */
  function ofOtherClocks(): readonly Row[] {
    const columns = 'rid, id, owner, epoch, lease_until, lease_clock, lease_seconds'
    const others = ['lease_clock IS NULL', 'lease_clock < ?', 'lease_clock > ?']
      .map((where) => `SELECT ${columns} FROM responses WHERE lease_until IS NOT NULL AND ${where}`)
      .join(' UNION ALL ')
    const rows = sql(`${others} LIMIT ?`).all(clock, clock, MAX_WATCHED)
    const there = new Set(rows.map(({ rid }) => rid))
    watched = new Map([...watched].filter(([rid]) => there.has(rid)))
    return rows
  }

  return {
    isExpired,
    expired(max, time) {
      const ours = sql(
        `SELECT id, owner FROM responses WHERE lease_until IS NOT NULL AND lease_clock = ? AND lease_until <= ?
           ORDER BY lease_until LIMIT ?`,
      ).all(clock, time.steady, max)
      const others = ofOtherClocks().filter((response) => isExpired(response, time))
      return [...others, ...ours].slice(0, max).map(({ id, owner }) => {
        return { responseId: id as string, owner: owner as string }
      })
    },
  }
}
