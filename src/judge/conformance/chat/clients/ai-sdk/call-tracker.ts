import { Thrown } from '../../../clients/thrown.js'
import { ArgumentState, beginsWhole } from './argument-state.js'

/** A delta of a call after the schema has validated it. */
export interface CallDelta {
  readonly index?: number | null
  readonly id?: string | null
  readonly function: { readonly name?: string | null; readonly arguments?: string | null }
}

/** A call as the SDK assembles it. */
export interface TrackedCall {
  readonly name: string
  /** The index of the delta that began it. */
  readonly index: number | undefined
  readonly sequence: number
  given: string
  readonly state: ArgumentState
}

/** A call whose name has not come yet. */
interface PendingCall {
  id: string | undefined
  given: string
}

/** How a delta is resolved: to a known call, a new one, or none. */
type Resolution = TrackedCall | 'new' | 'ambiguous'

/**
 * Assigns deltas to calls as @ai-sdk/openai-compatible and its `StreamingToolCallTracker` do: deltas wait until their
 * index has a name; then id, index, name and the form of the arguments decide together.
 */
export class CallTracker {
  readonly #pending = new Map<number, PendingCall>()
  readonly #forwarded = new Set<number>()
  readonly #calls: TrackedCall[] = []
  readonly #byId = new Map<string, Set<TrackedCall>>()
  readonly #byIndex = new Map<number, Set<TrackedCall>>()

  take(delta: CallDelta): void {
    const { index, id, function: named } = delta
    if (index === undefined || index === null || this.#forwarded.has(index)) {
      this.#track(delta)
      return
    }
    const pending = this.#pending.get(index) ?? { id: undefined, given: '' }
    this.#pending.set(index, pending)
    pending.id ??= id ?? undefined
    pending.given += named.arguments ?? ''
    if (named.name === undefined || named.name === null) return
    this.#track({ index, id: pending.id ?? null, function: { name: named.name, arguments: pending.given } })
    this.#pending.delete(index)
    this.#forwarded.add(index)
  }

  /** The calls at the end of the stream, in the order in which they run. */
  end(): readonly TrackedCall[] {
    for (const [index, { id, given }] of this.#pending) {
      this.#track({ index, id: id ?? null, function: { arguments: given } })
    }
    if (this.#calls.some(({ index }) => index === undefined)) return this.#calls
    return [...this.#calls].sort((a, b) => Number(a.index) - Number(b.index) || a.sequence - b.sequence)
  }

  #track({ index, id: givenId, function: { name: givenName, arguments: given } }: CallDelta): void {
    const id = nonBlank(givenId)
    const name = nonBlank(givenName)
    const found = this.#resolve({
      id,
      index: index ?? undefined,
      name,
      isStart: name !== undefined && beginsWhole(given),
      isEmpty: (given ?? '').trim() === '',
    })
    if (found === 'ambiguous') return
    let call: TrackedCall
    if (found === 'new') {
      if (typeof givenName === 'string' && name === undefined) return
      if (name === undefined) throw new Thrown('chat-ai-sdk-call-name', 'a call with function.name', givenName)
      call = { name, index: index ?? undefined, sequence: this.#calls.length, given: '', state: new ArgumentState() }
      this.#calls.push(call)
    } else call = found
    if (id !== undefined) addTo(this.#byId, id, call)
    call.given += given ?? ''
    call.state.append(given ?? '')
    if (index !== undefined && index !== null) addTo(this.#byIndex, index, call)
  }

  #resolve({ id, index, name, isStart, isEmpty }: Evidence): Resolution {
    const indexed = index === undefined ? undefined : this.#byIndex.get(index)
    const matching = [...(indexed ?? [])].filter((call) => name === undefined || call.name === name)
    if (id === undefined) {
      if (indexed !== undefined) return among(matching, isStart)
      // No call has finished before the stream ends.
      return name === undefined ? among(this.#calls, false) : 'new'
    }
    const known = this.#byId.get(id)
    if (known === undefined) {
      if (matching.length === 0 || isStart) return 'new'
      return among(matching, name !== undefined && isEmpty)
    }
    if (index === undefined) {
      const named = [...known].filter((call) => name === undefined || call.name === name)
      return among(named, name !== undefined && isStart)
    }
    const both = among(
      matching.filter((call) => known.has(call)),
      isStart,
    )
    if (both !== 'new' || name !== undefined) return both
    return indexed === undefined ? among([...known], false) : 'ambiguous'
  }
}

interface Evidence {
  readonly id: string | undefined
  readonly index: number | undefined
  readonly name: string | undefined
  readonly isStart: boolean
  readonly isEmpty: boolean
}

function among(calls: readonly TrackedCall[], isStart: boolean): Resolution {
  const [first] = calls
  if (first === undefined) return 'new'
  const open = calls.filter(({ state }) => !state.isWhole)
  if (!isStart && calls.length === 1) return first
  if (open.length === 1) return open[0] as TrackedCall
  return open.length > 1 || !isStart ? 'ambiguous' : 'new'
}

const nonBlank = (text: string | null | undefined): string | undefined =>
  typeof text === 'string' && text.trim() !== '' ? text : undefined

function addTo<Key>(map: Map<Key, Set<TrackedCall>>, key: Key, call: TrackedCall): void {
  const known = map.get(key)
  if (known === undefined) map.set(key, new Set([call]))
  else known.add(call)
}
