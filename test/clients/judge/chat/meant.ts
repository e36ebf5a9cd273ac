import type { ChatClientModel } from '../../../../src/judge/conformance/chat/clients/client.js'
import { parsed } from '../meant.js'
import type { Outcome } from '../replay.js'
import type { NamedStream } from '../streams.js'

interface Call {
  readonly index: number
  readonly function?: { readonly name?: string; readonly arguments?: string }
  readonly custom?: { readonly name?: string; readonly input?: string }
}

interface Choice {
  readonly index: number
  readonly finish_reason?: string | null
  readonly delta: {
    readonly content?: string | null
    readonly refusal?: string | null
    readonly reasoning_content?: string | null
    readonly reasoning?: string | null
    readonly tool_calls?: readonly Call[]
    readonly function_call?: { readonly name?: string; readonly arguments?: string }
  }
}

/**
 * The content of a genuine stream: its joined deltas, as OpenAI documents them. Independent of the judge, which is
 * measured with this.
 */
export function meantBy(chunks: NamedStream['events'], { client, reads }: ChatClientModel): Outcome {
  const deltas = chunks
    .flatMap(({ choices }) => (choices ?? []) as readonly Choice[])
    .filter(({ index }) => index === 0)
  const joined = (of: (delta: Choice['delta']) => string | null | undefined): string =>
    deltas.map(({ delta }) => of(delta ?? {}) ?? '').join('')
  const text = joined(({ content, refusal }) => `${content ?? ''}${refusal ?? ''}`)
  const calls = new Map<string, { name: string; given: string }>()
  const add = (key: string, name: string | undefined, given: string | undefined): void => {
    const call = calls.get(key) ?? { name: name ?? '', given: '' }
    calls.set(key, { ...call, given: call.given + (given ?? '') })
  }
  for (const { delta } of deltas) {
    for (const { index, function: named, custom } of delta?.tool_calls ?? []) {
      if (custom !== undefined) add(`${index}`, custom.name, custom.input)
      else add(`${index}`, named?.name, named?.arguments)
    }
    const { function_call: old } = delta ?? {}
    if (old !== undefined) add('old', old.name, old.arguments)
  }
  const reason = deltas.find(({ finish_reason }) => typeof finish_reason === 'string')?.finish_reason
  const hasFailed = chunks.some(({ choices, error }) => choices === undefined && error !== undefined)
  return {
    streamed: text,
    final: text,
    reasoning: reads.reasoning ? joined(({ reasoning_content, reasoning }) => reasoning_content ?? reasoning) : '',
    // A stream that fails gives no result with calls.
    calls: (hasFailed ? [] : [...calls.values()]).map(({ name, given }) => ({
      name, // The AI SDK takes no arguments for an empty object.
      arguments: given === '' && client === 'ai-sdk' ? {} : parsed(given),
      isCut: typeof parsed(given) === 'string',
    })),
    citations: [],
    ending: hasFailed ? 'failed' : reason === 'length' || reason === 'content_filter' ? 'incomplete' : 'completed',
  }
}
