import { type OrderFault, renumber, type Site, type Sites } from './fault.js'
import { eventLabel, isTerminal, partKey, STAGES, type Stage, stageOf, textKey, type WireEvent } from './wire-event.js'

/** The places for each fault in the order of events. The faulty streams are renumbered. */
export const order: Readonly<Record<OrderFault, Sites>> = {
  dropped_created: dropped(({ type }) => type === 'response.created'),
  dropped_in_progress: dropped(({ type }) => type === 'response.in_progress'),
  dropped_item_added: dropped(
    (event, { events, at }) =>
      stageOf(event) === 'item added' &&
      events.some((later, index) => index > at && later['output_index'] === event['output_index']),
  ),
  dropped_part_added: dropped(
    // If no event of the part follows, its absence is not a fault.
    (event, { events, at }) =>
      stageOf(event) === 'part added' && events.some((later, index) => index > at && partKey(later) === partKey(event)),
  ),
  dropped_delta: dropped((event, { completed }) => changesText(event, completed)),
  // In a response that did not complete, items may stay open.
  dropped_done: dropped(
    (event, { isComplete }) => isComplete && (stageOf(event) === 'text done' || stageOf(event) === 'part done'),
  ),
  dropped_item_done: dropped((event, { isComplete }) => isComplete && stageOf(event) === 'item done'),
  dropped_terminal: dropped(isTerminal),

  duplicated_event: (events) =>
    sitesIn(events, (event, { completed }) => isOnce(event) || changesText(event, completed)).map(({ at, event }) => ({
      at: at + 1,
      what: `${eventLabel(event)} comes twice`,
      plant: () => renumbered(events, events.toSpliced(at, 0, event)),
    })),

  swapped_events: (events) => {
    const completed = completedTexts(events)
    return events.flatMap((first, at): Site[] => {
      const second = events[at + 1]
      if (second === undefined || !isOrdered(first, second, completed)) return []
      const what = `${eventLabel(second)} comes before ${eventLabel(first)}`
      return [{ at, what, plant: () => renumbered(events, events.toSpliced(at, 2, second, first)) }]
    })
  },

  event_after_terminal: (events) => {
    const at = events.findIndex(isTerminal)
    const before = events[at - 1]
    if (before === undefined) return []
    const what = `${eventLabel(before)} comes again after the terminal event`
    return [{ at: at + 1, what, plant: () => renumbered(events, events.toSpliced(at + 1, 0, before)) }]
  },
}

/** The context that decides whether an event is a place for a fault. */
interface Context {
  readonly events: readonly WireEvent[]
  readonly at: number
  readonly isComplete: boolean
  /** The keys of texts with a `.done` event, which determines their deltas. */
  readonly completed: ReadonlySet<string>
}

type Choice = (event: WireEvent, context: Context) => boolean

function sitesIn(events: readonly WireEvent[], isSite: Choice): { at: number; event: WireEvent }[] {
  const completed = completedTexts(events)
  const isComplete = events.some(({ type }) => type === 'response.completed')
  return events.flatMap((event, at) => (isSite(event, { events, at, isComplete, completed }) ? [{ at, event }] : []))
}

function dropped(isSite: Choice): Sites {
  return (events) =>
    sitesIn(events, isSite).map(({ at, event }) => ({
      at,
      what: `${eventLabel(event)} is missing`,
      plant: () => renumbered(events, events.toSpliced(at, 1)),
    }))
}

const completedTexts = (events: readonly WireEvent[]): ReadonlySet<string> =>
  new Set(events.filter((event) => stageOf(event) === 'text done').map(textKey))

/** Whether the text differs without this event. */
const changesText = (event: WireEvent, completed: ReadonlySet<string>): boolean =>
  stageOf(event) === 'delta' && event['delta'] !== '' && completed.has(textKey(event))

/** Whether an event comes only once per response, item or part. */
function isOnce(event: WireEvent): boolean {
  const stage = stageOf(event)
  return stage === undefined
    ? isTerminal(event) || event.type === 'response.created' || event.type === 'response.in_progress'
    : stage !== 'delta'
}

/** Whether two adjacent events must come in this order. */
function isOrdered(first: WireEvent, second: WireEvent, completed: ReadonlySet<string>): boolean {
  if (first.type === 'response.created' || isTerminal(second)) return true
  const stages = [stageOf(first), stageOf(second)] as const
  if (stages[0] === undefined || stages[1] === undefined) return false
  if (first['output_index'] !== second['output_index']) return false
  const isWhole = (stage: Stage): boolean => stage === 'item added' || stage === 'item done'
  if (partKey(first) !== partKey(second) && !isWhole(stages[0]) && !isWhole(stages[1])) return false
  if (stages[0] !== stages[1]) return STAGES.indexOf(stages[0]) < STAGES.indexOf(stages[1])
  const isOneText = textKey(first) === textKey(second) && completed.has(textKey(first))
  return isOneText && `${first['delta']}${second['delta']}` !== `${second['delta']}${first['delta']}`
}

const renumbered = (before: readonly WireEvent[], after: readonly WireEvent[]): WireEvent[] =>
  renumber(after, before[0]?.sequence_number ?? 0)
