interface Typed {
  readonly type: string
}

/** A way to frame a stream. */
export interface Framing {
  /** The ids of the invariants that the judge reports, without those that break no client. */
  readonly rules: readonly string[]
  readonly write: (events: readonly Typed[]) => string | Uint8Array
  /** It loses an event that, in this stream, only the clients of this profile read. */
  readonly readBy?: 'client:codex'
}

const bare = (event: Typed): string => `data: ${JSON.stringify(event)}\n\n`
const frame = (event: Typed): string => `event: ${event.type}\n${bare(event)}`
const all = (events: readonly Typed[]): string => events.map(frame).join('')

/** Another frame for the one event of a type. */
const but = (type: string, write: (event: Typed) => string) => (events: readonly Typed[]) =>
  events.map((event) => (event.type === type ? write(event) : frame(event))).join('')

/** Something before the first delta. */
const before = (text: string) => {
  const isFirst = (event: Typed, events: readonly Typed[]): boolean =>
    event === events.find(({ type }) => type === DELTA)
  return (events: readonly Typed[]) =>
    events.map((event) => (isFirst(event, events) ? text : '') + frame(event)).join('')
}

const DELTA = 'response.output_text.delta'
const DONE = 'response.output_item.done'
const COMPLETED = 'response.completed'

/** The same stream, in framings that clients accept and in others. */
export const FRAMINGS: Readonly<Record<string, Framing>> = {
  'as the API does': { rules: [], write: all },
  'without names': { rules: [], write: (events) => events.map(bare).join('') },
  'with CR LF': { rules: [], write: (events) => all(events).replaceAll('\n', '\r\n') },
  'with data over several lines': {
    rules: [],
    write: (events) =>
      events.map((event) => `${JSON.stringify(event, null, 1).replaceAll(/^/gm, 'data: ')}\n\n`).join(''),
  },
  'with comments': { rules: [], write: before(': keepalive\n\n') },
  'with keep-alives that are events': {
    rules: [],
    write: (events) =>
      events
        .flatMap((event, at) => {
          const { sequence_number } = event as { readonly sequence_number?: number }
          const alive = { type: 'keepalive', sequence_number } as Typed
          return at === events.length - 1 ? [event] : [event, alive]
        })
        .map(frame)
        .join(''),
  },
  'with [DONE]': { rules: [], write: (events) => `${all(events)}data: [DONE]\n\n` },
  'with a blank behind [DONE]': { rules: ['done-alone'], write: (events) => `${all(events)}data: [DONE] \n\n` },
  'without blank lines': {
    rules: ['frames-apart'],
    write: (events) => `${events.map((event) => `data: ${JSON.stringify(event)}\n`).join('')}\n`,
  },
  'without the blank line of a done item': {
    rules: ['frames-apart'],
    write: but(DONE, (event) => frame(event).slice(0, -1)),
  },
  'without the blank line of a delta': {
    rules: ['frames-apart'],
    write: but(DELTA, (event) => frame(event).slice(0, -1)),
  },
  'without the last blank line': { rules: ['last-frame-ends'], write: (events) => all(events).slice(0, -1) },
  'without the last line end': { rules: ['last-frame-ends'], write: (events) => all(events).slice(0, -2) },
  'with CR alone': { rules: ['no-cr-at-end'], write: (events) => all(events).replaceAll('\n', '\r') },
  'with CR alone, but not at the end': {
    rules: [],
    write: but(DELTA, (event) => frame(event).replaceAll('\n', '\r')),
  },
  'with data that is no JSON': { rules: ['data-is-json'], write: before('data: ping\n\n') },
  'with empty data': { rules: ['data-is-json'], write: before('event: ping\ndata:\n\n') },
  'with a name and no data': { rules: ['frame-has-data'], write: before('event: ping\n\n') },
  'with an indented done item': {
    readBy: 'client:codex',
    rules: ['data-field'],
    write: but(DONE, (event) => ` ${bare(event)}`),
  },
  'with a done item as a JSON line': {
    readBy: 'client:codex',
    rules: ['data-field'],
    write: but(DONE, (event) => `${JSON.stringify(event)}\n\n`),
  },
  'with an indented delta': { rules: ['data-field'], write: but(DELTA, (event) => ` ${bare(event)}`) },
  'with pretty-printed JSON after one data:': {
    rules: ['data-field'],
    write: (events) => events.map((event) => `data: ${JSON.stringify(event, null, 1)}\n\n`).join(''),
  },
  'with an event named error': {
    rules: ['event-name-misleads'],
    write: but(DELTA, (event) => `event: error\n${bare(event)}`),
  },
  'with events named thread.x': {
    rules: ['event-name-misleads'],
    write: (events) => events.map((event) => `event: thread.x\n${bare(event)}`).join(''),
  },
  'with events named message': {
    rules: [],
    write: (events) => events.map((event) => `event: message\n${bare(event)}`).join(''),
  },
  'with [DONE] in the middle': { rules: ['done-is-last'], write: before('data: [DONE]\n\n') },
  'with a byte order mark': { rules: ['no-mark-at-start'], write: (events) => `\ufeff${all(events)}` },
  'with a byte order mark before a done item': {
    readBy: 'client:codex',
    rules: ['no-mark-within'],
    write: but(DONE, (event) => `\ufeff${bare(event)}`),
  },
  'with a byte order mark before a delta': {
    rules: ['no-mark-within'],
    write: but(DELTA, (event) => `\ufeff${bare(event)}`),
  },
  'with a byte order mark before the end': {
    rules: ['no-mark-within'],
    write: but(COMPLETED, (event) => `\ufeff${bare(event)}`),
  },
  'with bytes that are no UTF-8': { rules: ['text-encoding'], write: (events) => Buffer.from(all(events), 'latin1') },
}
