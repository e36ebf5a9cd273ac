import { parsed } from '../meant.js'
import type { Outcome } from '../replay.js'
import type { NamedStream } from '../streams.js'
import { pagesIn } from './citations.js'

interface Event {
  readonly type?: unknown
  readonly index?: unknown
  readonly content_block?: { readonly type?: unknown; readonly name?: string }
  readonly delta?: {
    readonly text?: string
    readonly thinking?: string
    readonly partial_json?: string
    readonly citation?: unknown
    readonly stop_reason?: string | null
  }
}

/**
 * The content of a genuine stream: its joined deltas, as Anthropic documents them. Independent of the judge, which is
 * measured with this.
 */
export function meantBy(stream: NamedStream['events']): Outcome {
  const events = stream as readonly Event[]
  const joined = (name: 'text' | 'thinking' | 'partial_json', of = events): string =>
    of.map(({ delta }) => delta?.[name] ?? '').join('')
  const hasFailed = events.some(({ type }) => type === 'error')
  const reason = events.findLast(({ type }) => type === 'message_delta')?.delta?.stop_reason
  const text = joined('text')
  const calls = events
    .filter(({ content_block: block }) => block?.type === 'tool_use')
    .map(({ index, content_block: block }) => {
      const own = events.filter((event) => event.index === index)
      const given = parsed(joined('partial_json', own) || '{}')
      return { name: block?.name ?? '', arguments: given, isCut: typeof given === 'string' }
    })
  return {
    streamed: text,
    final: text,
    reasoning: joined('thinking'),
    // A stream that fails gives no result with calls and citations.
    calls: hasFailed ? [] : calls,
    citations: hasFailed ? [] : pagesIn(events.map(({ delta }) => delta?.citation)),
    ending: hasFailed
      ? 'failed'
      : reason === 'max_tokens' || reason === 'refusal' || reason === 'model_context_window_exceeded'
        ? 'incomplete'
        : 'completed',
  }
}
