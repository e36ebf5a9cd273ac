import type { Arbitrary } from 'fast-check'
import { SPECIAL as m } from '../../../core/harmony/vocabulary.js'
import { checkOptions, type OptionTable } from '../../../shared/options/check-options.js'
import { listOf, oneOf, wholeNumber } from '../../../shared/options/checks.js'
import type { SourcePlan } from '../check-source.js'
import fc from './fast-check.js'
import { printedAs, showToken } from './stream-forms.js'

/** Tokens that a source might treat specially: words, markers that do not end a turn, and halves of a character. */
const TOKENS = [13225, 2375, 0, m.end, m.start, m.channel, m.message, 9552, 222, 107]
const STOPS = [m.return, m.call, m.endoftext]

/** Options for {@link sourcePlan}. */
export interface SourcePlanOptions {
  /** The tokens that the model may sample before the stop token. Default: words, markers, halves of characters. */
  readonly tokens?: readonly number[]
  /** How calls may end. Default: all ways. */
  readonly endings?: readonly SourcePlan['ending'][]
  /** The allowed actions of the reader. Default: all. */
  readonly readers?: readonly SourcePlan['reader']['does'][]
}

const ENDINGS: readonly SourcePlan['ending'][] = ['stop', 'length', 'error', 'hang']
const READERS: readonly SourcePlan['reader']['does'][] = ['reads on', 'leaves', 'aborts']

const SOURCE_PLAN_OPTIONS: OptionTable<SourcePlanOptions> = {
  tokens: listOf(wholeNumber(), 'an array of token ids'),
  endings: listOf(oneOf(...ENDINGS), 'an array of endings'),
  readers: listOf(oneOf(...READERS), 'an array of what readers do'),
}

/**
 * A call for `checkSource`: up to eight tokens, how they are split, how the call ends, and what its reader does.
 * Shrinks to a call with few tokens that stops and is read to its end.
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function sourcePlan(options: SourcePlanOptions = {}): Arbitrary<SourcePlan> {
  checkOptions('sourcePlan', options, SOURCE_PLAN_OPTIONS)
  const { tokens = TOKENS, endings = ENDINGS, readers = READERS } = options
  const pairs = endings.flatMap((ending) => readers.map((does) => ({ ending, does })))
  // A call that hangs has no end to read to.
  const possible = pairs.filter(({ ending, does }) => ending !== 'hang' || does !== 'reads on')
  return fc
    .record({
      body: fc.array(fc.constantFrom(...tokens), { maxLength: 8 }),
      stop: fc.constantFrom(...STOPS),
      cuts: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
      pair: fc.constantFrom(...possible),
      share: fc.integer({ min: 0, max: 9 }),
    })
    .map(({ body, stop, cuts, pair: { ending, does }, share }) => {
      const tokens = ending === 'stop' ? [...body, stop] : body
      // For a call that hangs, usually reads all tokens, so that the reader waits for more.
      const after = ending === 'hang' && share > 3 ? tokens.length : Math.min(share, tokens.length)
      const plan: SourcePlan = { tokens, cuts, ending, reader: does === 'reads on' ? { does } : { does, after } }
      return printedAs(plan, () => showPlan(plan))
    })
}

function showPlan({ tokens, cuts, ending, reader }: SourcePlan): string {
  const reads = reader.does === 'reads on' ? reader.does : `${reader.does} after ${reader.after}`
  const sampled = tokens.map((id) => showToken(id)).join(' ')
  return `[${sampled}] by ${cuts.join(', ')}, then ${ending}; the reader ${reads}`
}
