import { type Family, fieldsOf } from '../../../../src/judge/conformance/damage/family.js'
import { jsonHash } from '../../../../src/judge/conformance/json-hash.js'
import type { WireEvent } from '../damages.js'

type Events = readonly WireEvent[]

/**
 * Mistakes by which no rule was written. Half of the kinds are `open`: what they show may be mended. The others are `apart`,
 * and only measured: whoever mends a rule because of one of them has to write another.
 */
export type Half = 'open' | 'apart'

/** The half that a kind belongs to, by its name: nobody has chosen it. */
export const halfOf = ({ name }: Pick<Family, 'name'>): Half => (jsonHash(name) % 2 === 0 ? 'open' : 'apart')

/**
 * A mistake that a server makes throughout a stream.
 *
 * @param change - returns the damaged stream; undefined, or the stream itself, where the mistake has no place
 */
export const kind = (name: string, change: (events: Events) => Events | undefined): Family => ({
  name,
  *damages(events) {
    const changed = change(events as Events)
    if (changed === undefined) return
    const at = changed.findIndex((event, index) => event !== events[index])
    yield { how: name, at: Math.max(0, at), events: changed }
  },
})

/** A mistake in each event. */
export const each = (name: string, change: (event: WireEvent, at: number) => WireEvent): Family =>
  kind(name, (events) => events.map(change))

/** A mistake by which each event becomes several, or none. */
export const flat = (name: string, change: (event: WireEvent, at: number, all: Events) => Events): Family =>
  kind(name, (events) => events.flatMap((event, at) => change(event, at, events)))

/** The fields of an object with others; those that are undefined are missing. */
export function having(value: unknown, more: Readonly<Record<string, unknown>>): WireEvent {
  const all = Object.entries({ ...fieldsOf(value), ...more }).filter(([, field]) => field !== undefined)
  return Object.fromEntries(all) as WireEvent
}
