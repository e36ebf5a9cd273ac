import { urlCitations } from '../../../../src/core/citations/url-citations.js'
import { checkEvents, type Profile } from '../../../../src/judge/conformance/index.js'
import type { StreamEvent } from '../../../../src/judge/conformance/stream-event.js'
import { builtin, custom, fn } from '../../../core/recipients/tools.js'
import { callTo, createRun, inTurn, messageOn, type Run } from '../../../core/translate/run.js'

/** An object to damage. */
export type Loose = { [field: string]: unknown }

/** An event to damage. */
export interface Draft extends Loose {
  type: string
}

/** A stream to damage. */
export type Stream = Draft[]

/** Damages a stream: in place, or by giving another. */
// biome-ignore lint/suspicious/noConfusingVoidType: without void a damage in place would have to give something
export type Damage = (events: Stream) => Stream | void

/** A stream as JSON, of events that nothing shares. */
function streamOf(run: Run): Stream {
  return JSON.parse(JSON.stringify(run.events)) as Stream
}

function streamed(options: Parameters<typeof createRun>[0], write: (run: Run) => void): () => Stream {
  return () => {
    const usage = { inputTokens: 10, cachedTokens: 0, outputTokens: 20, reasoningTokens: 5 }
    const run = createRun({ usage, ...options })
    run.start()
    write(run)
    return streamOf(run)
  }
}

const citations = urlCitations({ resolve: () => ({ url: 'https://example.com/a', title: 'A page' }) })
const mcpServer = { type: 'mcp', server_label: 'repo', require_approval: 'never' } as const

export type BaseName =
  | 'talk'
  | 'answer'
  | 'call'
  | 'calls'
  | 'summary'
  | 'both'
  | 'thoughts'
  | 'two'
  | 'custom'
  | 'mcp'
  | 'code'
  | 'search'
  | 'shell'
  | 'truncated'
  | 'failed'
  | 'cancelled'

/** Good streams: every profile accepts them, except as noted beside them. */
export const BASES: { readonly [Name in BaseName]: () => Stream } = {
  /** Reasoning, a message, a function call: as the base of the matrices is. */
  talk: streamed({ request: { tools: [fn('get_weather')] } }, (run) => {
    run.push(messageOn('analysis', 'think'), 'ing<|end|>', '<|start|>assistant')
    run.push(messageOn('commentary', 'Let me '), 'check.<|end|>', '<|start|>assistant')
    run.push(callTo('functions.get_weather', '{"city":'), '"Paris"}<|call|>')
    run.end()
  }),
  /** A message alone. */
  answer: streamed({}, (run) => {
    run.push(messageOn('final', 'Hi'), ' you<|return|>')
    run.end()
  }),
  /** A function call alone. */
  call: streamed({ request: { tools: [fn('get_weather')] } }, (run) => {
    run.push(callTo('functions.get_weather', '{"city":'), '"Paris"}<|call|>')
    run.end()
  }),
  /** Two function calls. */
  calls: streamed({ request: { tools: [fn('f'), fn('g')] } }, (run) => {
    run.push(inTurn(callTo('functions.f', '{}<|call|>'), callTo('functions.g', '{}<|call|>')))
    run.end()
  }),
  /** Reasoning as a summary. */
  summary: streamed({ reasoning: 'summary' }, (run) => {
    run.push(inTurn(messageOn('analysis', 'thinking<|end|>'), messageOn('final', 'Hi<|return|>')))
    run.end()
  }),
  /** Reasoning, raw and as a summary. */
  both: streamed({ reasoning: 'both' }, (run) => {
    run.push(inTurn(messageOn('analysis', 'thinking<|end|>'), messageOn('final', 'Hi<|return|>')))
    run.end()
  }),
  /** Two reasoning items, one after the other. */
  thoughts: streamed({}, (run) => {
    run.push(inTurn(messageOn('analysis', 'one<|end|>'), messageOn('analysis', 'two<|end|>')))
    run.push('<|start|>assistant', messageOn('final', 'Hi<|return|>'))
    run.end()
  }),
  /** Two messages. */
  two: streamed({}, (run) => {
    run.push(inTurn(messageOn('commentary', 'I look.<|end|>'), messageOn('final', 'Hi<|return|>')))
    run.end()
  }),
  custom: streamed({ request: { tools: [custom('patch')] } }, (run) => {
    run.push(callTo('functions.patch', '***'), ' Begin<|call|>')
    run.end()
  }),
  mcp: streamed({ request: { tools: [mcpServer] } }, (run) => {
    run.push(callTo('repo.search', '{"q":'), '1}<|call|>')
    run.toolResult({ itemId: 'mcp_0', output: 'found' })
    run.push(messageOn('final', 'It is so.<|return|>'))
    run.end()
  }),
  code: streamed({ request: { tools: [builtin('code_interpreter')] } }, (run) => {
    run.push(callTo('python', 'print('), '1)<|call|>')
    run.toolResult({ itemId: 'ci_1', output: '1' })
    run.push(messageOn('final', '1<|return|>'))
    run.end()
  }),
  search: streamed({ citations, request: { tools: [builtin('web_search')] } }, (run) => {
    run.push(callTo('browser.search', '{"query":"q"}<|call|>'))
    run.toolResult({ itemId: 'ws_0', output: 'a page' })
    run.push(messageOn('final', 'It is so【4†L1-L2】, and so【5†L1】.<|return|>'))
    run.end()
  }),
  shell: streamed({ request: { tools: [{ type: 'shell', environment: { type: 'container_auto' } }] } }, (run) => {
    run.push(callTo('container.exec', '{"cmd":["bash","-lc","ls"]}<|call|>'))
    run.toolResult({ itemId: 'sh_1', shell: [{ stdout: 'a', stderr: '', outcome: { type: 'exit', exit_code: 0 } }] })
    run.push(messageOn('final', 'a<|return|>'))
    run.end()
  }),
  /** Cut off in the middle of its message. */
  truncated: streamed({}, (run) => {
    run.push(messageOn('final', 'Hi'))
    run.end('max_output_tokens')
  }),
  /** The engine failed after a first message. */
  failed: streamed({}, (run) => {
    run.push(messageOn('commentary', 'Hi<|end|>'))
    run.fail({ code: 'server_error', message: 'boom' })
  }),
  /** Cancelled in the middle of its second message. */
  cancelled: streamed({}, (run) => {
    run.push(inTurn(messageOn('commentary', 'I look.<|end|>'), messageOn('final', 'Hi')))
    run.cancel()
  }),
}

/** A checker's violations in a stream, as `position rule`, with a `?` after a warning. */
export function saidOf(events: readonly Draft[], profile: Profile): string[] {
  return checkEvents(events as readonly StreamEvent[], { profile }).map(
    ({ position, rule, severity }) => `${position} ${rule}${severity === 'warning' ? '?' : ''}`,
  )
}

/** The rules that a stream breaks, errors alone. */
export function brokenBy(events: readonly Draft[], profile: Profile): string[] {
  const errors = checkEvents(events as readonly StreamEvent[], { profile }).filter(
    ({ severity }) => severity === 'error',
  )
  return [...new Set(errors.map(({ rule }) => rule))]
}

export function damaged(events: Stream, ...damages: readonly Damage[]): Stream {
  return damages.reduce<Stream>((stream, damage) => damage(stream) ?? stream, structuredClone(events))
}

/** Numbers anew what was dropped from, or put into. */
export function renumbered(events: Stream): Stream {
  for (const [number, event] of events.entries()) event['sequence_number'] = number
  return events
}

const isOf = (event: Draft, type: string): boolean => event.type === type || event.type === `response.${type}`

/** The object that a field holds. */
export function inside(event: Loose | undefined, field: string): Loose {
  const held = event?.[field]
  if (typeof held !== 'object' || held === null) throw new Error(`no object ${field}`)
  return held as Loose
}

/** The events of a type; the prefix `response.` may be left out. */
export function all(events: Stream, type: string): Draft[] {
  return events.filter((event) => isOf(event, type))
}

export function nth(events: Stream, type: string, at = 0): Draft {
  const event = all(events, type).at(at)
  if (event === undefined) throw new Error(`no ${type} ${at}`)
  return event
}

/** Gives an object these fields; `undefined` takes one away. */
export function give(object: Loose, fields: Loose): void {
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) delete object[name]
    else object[name] = value
  }
}

/** Another field of the n-th event of a type. */
export function set(type: string, fields: Loose, at = 0): Damage {
  return (events) => give(nth(events, type, at), fields)
}

/** Other fields of each event of a type. */
export function setAll(type: string, fields: Loose): Damage {
  return (events) => {
    for (const event of all(events, type)) give(event, fields)
  }
}

/** Another field in the response of an event. */
export function setResponse(type: string, fields: Loose): Damage {
  return (events) => give(inside(nth(events, type), 'response'), fields)
}

/** Items of a type, or of any type ('') where they are announced, done, and in the terminal response. */
export function itemsIn(events: Stream, type: string, where: readonly Moment[]): Loose[] {
  const held = (moment: string): Loose[] => all(events, `output_item.${moment}`).map((event) => inside(event, 'item'))
  const last = events.at(-1)?.['response'] as { readonly output?: Loose[] } | undefined
  const items = {
    added: () => held('added'),
    done: () => held('done'),
    terminal: () => last?.output ?? [],
  }
  return where.flatMap((moment) => items[moment]()).filter((item) => type === '' || item['type'] === type)
}

export type Moment = 'added' | 'done' | 'terminal'

/** Other fields of the items of a type. */
export function setItem(type: string, fields: Loose, where: readonly Moment[] = ['added', 'done', 'terminal']): Damage {
  return (events) => {
    for (const item of itemsIn(events, type, where)) give(item, fields)
  }
}

/** Without the events of which this is true. */
export function drop(isDropped: string | ((event: Draft) => boolean)): Damage {
  const is = typeof isDropped === 'string' ? (event: Draft) => isOf(event, isDropped) : isDropped
  return (events) => renumbered(events.filter((event) => !is(event)))
}

/** With an event more, at a position. */
export function insert(at: number, event: Draft): Damage {
  return (events) => renumbered(events.toSpliced(at < 0 ? events.length + 1 + at : at, 0, structuredClone(event)))
}

/** With an event twice, one after the other. */
export function twice(type: string, at = 0): Damage {
  return (events) => insert(events.indexOf(nth(events, type, at)) + 1, nth(events, type, at))(events)
}

/** With the event at one position moved to another. */
export function move(from: number, to: number): Damage {
  return (events) => {
    const [event] = events.splice(from, 1)
    if (event === undefined) throw new Error(`no event ${from}`)
    return renumbered(events.toSpliced(to, 0, event))
  }
}

/** Without the events from one position up to another. */
export function cut(from: number, until: number): Damage {
  return (events) => renumbered(events.toSpliced(from, until - from))
}
