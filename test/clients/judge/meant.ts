import type { Reads } from '../../../src/judge/conformance/clients/client.js'
import type { WireEvent } from './damages.js'
import type { Outcome } from './replay.js'

interface Part {
  readonly type?: unknown
  readonly text?: unknown
  readonly refusal?: unknown
  readonly annotations?: unknown
}

interface Item {
  readonly type?: unknown
  readonly status?: unknown
  readonly name?: unknown
  readonly arguments?: unknown
  readonly input?: unknown
  readonly content?: unknown
  readonly summary?: unknown
}

/**
 * The content of a genuine stream, by its terminal response, or by its done items if that lists none: what a lossless
 * client shows. Independent of the judge, which is measured with this.
 *
 * @param argumentsOf - what the client makes of the text of a function call's arguments
 */
export function meantBy(
  events: readonly WireEvent[],
  reads: Reads,
  argumentsOf: (text: string) => unknown = parsed,
): Outcome {
  const end = events.find(({ type }) => /^response\.(completed|incomplete|failed)$/.test(type))
  const response = Object(end?.['response']) as { output?: unknown; status?: unknown; error?: unknown }
  const listed = itemsOf(response.output)
  // A client that shows only complete items shows nothing of what a failure or a cancellation cut off.
  const isCut = reads.wholeMessages === true && (end?.type === 'response.failed' || response.status === 'cancelled')
  const items = listed.length > 0 && !isCut ? listed : itemsOf(events.filter(isDone).map(({ item }) => item))
  const of = (type: string): Item[] => items.filter((item) => item.type === type)
  const parts = of('message').flatMap(({ content }) => partsOf(content))
  const text = parts
    .filter(({ type }) => reads.refusals || type !== 'refusal')
    .map(({ text, refusal }) => textOf(text ?? refusal))
    .join('')
  const thoughts = of('reasoning').flatMap(({ content, summary }) => [
    ...(reads.rawReasoning ? partsOf(content) : []),
    ...(reads.summaries ? partsOf(summary) : []),
  ])
  const isRead = ({ type }: Item): boolean =>
    (type === 'function_call' && reads.functionCalls) || (type === 'custom_tool_call' && reads.customCalls)
  return {
    streamed: reads.streamed ? text : '',
    ...(reads.final ? { final: text } : {}),
    reasoning: thoughts.map(({ text }) => textOf(text)).join(''),
    calls: items
      .filter((item) => isRead(item) && item.status !== 'incomplete')
      .map(({ name, arguments: given, input }) => ({
        name: textOf(name),
        arguments: given === undefined ? parsed(textOf(input)) : argumentsOf(textOf(given)),
      })),
    citations: reads.citations ? parts.flatMap(({ annotations }) => sourcesOf(annotations)) : [],
    ending: endingOf(end ?? events.find(({ type }) => type === 'error'), response.status, reads),
  }
}

function endingOf(end: WireEvent | undefined, status: unknown, reads: Reads): Outcome['ending'] {
  if (end === undefined) return 'open'
  if (status === 'cancelled') return reads.cancelled
  if (end.type === 'response.incomplete' || status === 'incomplete') return reads.incomplete
  // OpenAI ends a stream with only an error event if it cannot keep the response.
  return /failed$|^error$/.test(end.type) || status === 'failed' ? reads.failed : 'completed'
}

const isDone = ({ type }: WireEvent): boolean => type === 'response.output_item.done'

const itemsOf = (list: unknown): Item[] => (Array.isArray(list) ? list.map((item) => Object(item)) : [])

const partsOf = (list: unknown): Part[] => (Array.isArray(list) ? list.map((part) => Object(part)) : [])

const textOf = (text: unknown): string => (typeof text === 'string' ? text : '')

function sourcesOf(annotations: unknown): string[] {
  return partsOf(annotations).flatMap((annotation) => {
    const { url, file_id } = annotation as { url?: unknown; file_id?: unknown }
    const source = url ?? file_id
    return typeof source === 'string' ? [source] : []
  })
}

/** Arguments as parsed JSON, or the text if they are invalid JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
