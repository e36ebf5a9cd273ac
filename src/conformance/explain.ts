import { check } from '../errors.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import { checkEvents } from './check.js'
import { kindOf } from './event-kind.js'
import { outputOf } from './reading.js'
import { isAtEnd } from './report/kind.js'
import { type Fields, fieldsOf, isFields, type StreamEvent, textOf } from './stream-event.js'

/** The clients whose reading of a stream is known. */
export const CLIENTS = ['openai', 'ai-sdk', 'openai-agents', 'langchain', 'codex'] as const

export type Client = (typeof CLIENTS)[number]

/** A call as a client understands it, and why it is not as it was meant. */
interface UnderstoodCall {
  readonly name: string
  readonly arguments: string
  readonly why?: string
}

/** How a client reads a stream: from which events it takes what. */
interface ClientReader {
  readonly name: string
  text(stream: Stream): string
  calls(stream: Stream): UnderstoodCall[]
  /** What its user sees of the end. */
  ending(stream: Stream): string
}

/** A stream, sorted by what clients take from it. */
interface Stream {
  readonly added: readonly StreamEvent[]
  readonly done: readonly StreamEvent[]
  readonly text: string
  readonly terminal: StreamEvent | undefined
  readonly error: StreamEvent | undefined
  /** Deltas of a call's arguments, by output index. */
  readonly deltas: ReadonlyMap<unknown, string>
}

const isCall = ({ type }: Fields): boolean => type === 'function_call' || type === 'custom_tool_call'

const callOf = ({ name, namespace, arguments: call, input }: Fields): UnderstoodCall => ({
  name: namespace === undefined ? textOf(name) : `${textOf(namespace)}.${textOf(name)}`,
  arguments: textOf(call ?? input),
})

const WELL = 'and ends well'

const NO_END = 'never learns that the response is over'

/** What clients take from which events. Source: the clients themselves, given good and damaged streams. */
const READERS: Readonly<Record<Client, ClientReader>> = {
  openai: {
    name: 'The openai SDK',
    text: ({ text }) => text,
    calls: ({ terminal, done }) => {
      const items = terminal === undefined ? done.map(({ item }) => fieldsOf(item)) : outputOf(terminal)
      return items.filter(isCall).map(callOf)
    },
    ending: ({ terminal }) => (terminal === undefined ? `${NO_END}: its status stays in_progress` : endOf(terminal)),
  },
  'ai-sdk': {
    name: 'The AI SDK',
    text: ({ text }) => text,
    // It runs a call when its item is done, whatever the item's status.
    calls: ({ done }) =>
      done
        .map(({ item }) => fieldsOf(item))
        .filter(isCall)
        .map(callOf),
    ending: ({ terminal }) => (terminal === undefined ? 'finishes as interrupted' : endOf(terminal)),
  },
  'openai-agents': {
    name: 'The Agents SDK',
    text: ({ text }) => text,
    calls: ({ terminal }) => (terminal === undefined ? [] : outputOf(terminal)).filter(isCall).map(callOf),
    ending: ({ terminal }) => {
      if (terminal === undefined) return 'has no result, because no event ends the stream'
      return terminal.type === 'response.completed' ? endOf(terminal) : `throws at ${terminal.type}`
    },
  },
  langchain: {
    name: 'LangChain',
    text: ({ text }) => text,
    // It adds the deltas to what was announced, and takes arguments that are no JSON for none.
    calls: ({ added, deltas }) =>
      added.flatMap(({ item, output_index }) => {
        const call = fieldsOf(item)
        if (!isCall(call)) return []
        const announced = textOf(call['arguments'] ?? call['input'])
        const given = announced + (deltas.get(output_index) ?? '')
        const name = textOf(call['name'])
        if (call['type'] === 'custom_tool_call' || isJson(given)) return [{ name, arguments: given }]
        const why =
          given === ''
            ? 'no arguments delta'
            : announced !== ''
              ? 'the announced item has them, too'
              : 'they are no JSON'
        return [{ name, arguments: '{}', why }]
      }),
    ending: ({ terminal, error }) => {
      if (terminal?.type === 'response.failed' && error === undefined) return 'takes the failed response for a good one'
      return terminal === undefined ? `${NO_END}, and has no usage` : endOf(terminal)
    },
  },
  codex: {
    name: 'Codex',
    text: ({ done }) =>
      done
        .map(({ item }) => fieldsOf(item))
        .filter(({ type }) => type === 'message')
        .map(messageText)
        .join(''),
    calls: ({ done }) =>
      done
        .map(({ item }) => fieldsOf(item))
        .filter(isCall)
        .map(callOf),
    ending: ({ terminal }) => {
      if (terminal === undefined) return 'says that the stream was closed before response.completed, and tries again'
      return terminal.type === 'response.incomplete' ? 'fails the turn: incomplete response' : endOf(terminal)
    },
  },
}

/**
 * What a client will make of a stream, in a few sentences: what it shows, which calls it runs with which arguments, how
 * it ends, and at which events it fails.
 *
 *     explain(events, 'langchain') // LangChain shows no text, will run get_weather with {}: no arguments delta, ...
 *
 * @throws HarmonyResponsesError `bad_option` where there is no such client. It never throws at what stands in the stream.
 */
export function explain(events: Iterable<StreamEvent | ResponseStreamEvent>, client: Client): string {
  check(CLIENTS.includes(client), 'client', `one of ${CLIENTS.join(', ')}`, client)
  const all = [...events] as StreamEvent[]
  const reader = READERS[client]
  const stream = sorted(all.filter(isEvent))
  const text = reader.text(stream)
  const shows = text === '' ? 'shows no text' : `shows ${JSON.stringify(shortened(text))}`
  const runs = reader.calls(stream).map(({ name, arguments: call, why }) => {
    const because = why === undefined ? '' : `: ${why}`
    return `will run ${name} with ${call === '' ? 'nothing' : shortened(call)}${because}`
  })
  const faults = checkEvents(all, { profile: `client:${client}` }).filter(({ severity }) => severity === 'error')
  const [first] = faults
  const ending = reader.ending(stream)
  // What trips on its way does not end well, whatever the last event says.
  const does = [shows, ...runs, ...(first !== undefined && ending === WELL ? [] : [ending])].join(', ')
  if (first === undefined) return `${reader.name} ${does}.`
  const named = first.type === undefined ? '' : ` (${first.type})`
  const at = isAtEnd(first) ? 'at the end' : `at event ${first.position}${named}`
  return `${reader.name} ${does}. It trips ${at}: expected ${first.expected}, got ${first.got}.`
}

/** What no client takes for an event is told by the checker. */
function isEvent(event: unknown): boolean {
  return isFields(event) && typeof event['type'] === 'string'
}

function sorted(events: readonly StreamEvent[]): Stream {
  const deltas = new Map<unknown, string>()
  let text = ''
  for (const event of events) {
    if (event.type === 'response.output_text.delta') text += textOf(event['delta'])
    if (/^response\.(function_call_arguments|custom_tool_call_input)\.delta$/.test(event.type)) {
      const { output_index, delta } = event
      deltas.set(output_index, (deltas.get(output_index) ?? '') + textOf(delta))
    }
  }
  const of = (type: string): StreamEvent[] => events.filter((event) => event.type === type)
  return {
    added: of('response.output_item.added'),
    done: of('response.output_item.done'),
    text,
    terminal: events.find(({ type }) => kindOf(type).isTerminal),
    error: events.find(({ type }) => type === 'error'),
    deltas,
  }
}

function endOf(terminal: StreamEvent): string {
  const { error, incomplete_details } = fieldsOf(terminal['response'])
  switch (terminal.type) {
    case 'response.completed':
      return WELL
    case 'response.incomplete':
      return `and learns that it was cut off (${textOf(fieldsOf(incomplete_details)['reason'])})`
    default:
      return `and fails: ${textOf(fieldsOf(error)['message'])}`
  }
}

/** A message with a refusal is no message to Codex. */
function messageText({ content }: Fields): string {
  const parts = Array.isArray(content) ? content.map(fieldsOf) : []
  return parts.some(({ type }) => type === 'refusal') ? '' : parts.map(({ text }) => textOf(text)).join('')
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}...` : text
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
