import fc from 'fast-check'
import { type TokenEngine, tokenStream } from '../../../src/engines/contract/index.js'
import { decodeTokens, encodeHarmony, encodeText, m } from '../../support/tokens.js'

/** An engine that writes one turn after the other, for any prompt, and records its prompts. */
export function writing(
  turns: readonly (readonly number[])[],
  contextLength?: number,
): TokenEngine & { readonly contexts: number[][] } {
  const contexts: number[][] = []
  let written = 0
  return {
    contexts,
    generate(prompt, { signal } = {}) {
      contexts.push([...prompt])
      const tokens = isAskedForSummary(prompt)
        ? SUMMARY
        : (turns[written++] ?? encodeHarmony('<|channel|>final<|message|>Over.<|return|>'))
      return tokenStream(async function* () {
        yield* tokens
        return { reason: 'stop' as const }
      }, signal)
    },
    health: async () => {},
    capabilities: async () => (contextLength === undefined ? {} : { contextLength }),
  }
}

const SUMMARY = encodeHarmony('<|channel|>final<|message|>They look.<|return|>')
const isAskedForSummary = (prompt: ArrayLike<number>): boolean =>
  decodeTokens(Array.from(prompt).slice(-300)).includes('user<|message|>Summarize')

/** Text as a model may sample it: in tokens that the tokenizer would not choose. */
export const sampledText = (text: string): fc.Arbitrary<number[]> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(encodeText(text)) },
    {
      weight: 1,
      arbitrary: fc
        .uniqueArray(fc.nat(text.length), { maxLength: 3 })
        .map((cuts) => [0, ...cuts.sort((a, b) => a - b), text.length])
        .map((cuts) => cuts.slice(1).flatMap((cut, at) => encodeText(text.slice(cuts[at], cut)))),
    },
  )

const words = fc.constantFrom('Hm.', 'Rain is likely.', 'Let me look', ' ', 'a b')
export const types: fc.Arbitrary<string> = fc.constantFrom(
  '',
  ' json',
  ' code',
  ' <|constrain|>json',
  '<|constrain|>json',
)

/** A message from behind `<|start|>assistant` on, without its end. */
export const said = (channel: string): fc.Arbitrary<number[]> =>
  words.chain(sampledText).map((text) => [...encodeHarmony(`<|channel|>${channel}<|message|>`), ...text])

const START = [m.start, ...encodeText('assistant')]
export const joined = (messages: readonly number[][], end: number): number[] => [
  ...messages.flatMap((message, at) => [
    ...(at === 0 ? [] : START),
    ...message,
    ...(at === messages.length - 1 ? [] : [m.end]),
  ]),
  end,
]
