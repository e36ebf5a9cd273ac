import type { HarmonyToken, TokenChunk } from '../../../core/tokens/token-source.js'
import type { SourcePlan } from './source-plan.js'
import type { SourceRule } from './source-rules.js'

/** The progress of reading, compared with the plan. */
export interface Progress {
  take(chunk: TokenChunk): void
  /** How many tokens were read. For text: all of them once the text is complete, none before. */
  readonly tokens: number
  /** How many tokens, or UTF-16 code units of text, were read. */
  readonly position: number
  isComplete(): boolean
  /** The first difference between the tokens read and the beginning of the plan. */
  prefixFault(): [expected: string, got: string] | undefined
  /** The first difference between the tokens read and the complete plan. */
  finalFault(): [rule: SourceRule, expected: string, got: string] | undefined
}

export function createProgress(plan: SourcePlan, text: string | undefined): Progress {
  const expected: readonly (number | string)[] = text === undefined ? plan.tokens : text.split('')
  const got: (number | string)[] = []
  const body = text === undefined && plan.ending === 'stop' ? expected.slice(0, -1) : expected
  const firstDifference = (one: readonly unknown[], length: number): number => {
    for (let at = 0; at < length; at++) if (one[at] !== expected[at]) return at
    return length
  }
  const show = (at: number, list: readonly (number | string)[]): string =>
    at < list.length ? `${JSON.stringify(list[at])} at ${at}` : `nothing at ${at}`

  return {
    take(chunk) {
      const isText = text !== undefined && typeof chunk === 'string'
      for (const one of isText ? chunk.split('') : idsOf(chunk)) got.push(one)
    },
    get tokens() {
      // Pieces of text are not tokens: the reader continues until the text of all tokens has arrived.
      return text === undefined ? got.length : got.length >= expected.length ? plan.tokens.length : 0
    },
    get position() {
      return got.length
    },
    isComplete: () => got.length >= expected.length,
    prefixFault() {
      const at = firstDifference(got, got.length)
      return at < got.length ? [show(at, expected), show(at, got)] : undefined
    },
    finalFault() {
      const at = firstDifference(got, body.length)
      if (at < body.length) return ['tokens-once', show(at, expected), show(at, got)]
      const rest = got.slice(body.length)
      const stop = expected.slice(body.length)
      if (rest.length === stop.length && rest[0] === stop[0]) return undefined
      return stop.length === 0
        ? ['tokens-once', show(at, expected), show(at, got)]
        : [
            'stop-token-last',
            `the stop token ${stop} and nothing after it`,
            rest.length === 0 ? 'nothing' : rest.join(', '),
          ]
    },
  }
}

/** A chunk's ids. Anything else becomes a description, which equals no id and so is reported. */
export function idsOf(chunk: TokenChunk): (number | string)[] {
  if (chunk instanceof Uint32Array) return [...chunk]
  if (Array.isArray(chunk)) return (chunk as readonly HarmonyToken[]).map((token) => idsOf(token)[0] ?? 'nothing')
  if (typeof chunk === 'number') return [chunk]
  if (typeof chunk === 'object' && chunk !== null && 'id' in chunk) return [chunk.id]
  return [typeof chunk === 'string' ? `text ${chunk}` : 'no token']
}
