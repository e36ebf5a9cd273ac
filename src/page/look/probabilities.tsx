import type { Signal } from '@preact/signals'
import { Fragment, type JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { shortened } from '../../shared/shortened.js'
import { CheckBox } from '../parts/check-box.js'
import { shownText } from '../parts/shown-text.js'
import { SHADES } from './shades.js'
import type { ShownToken } from './trace.js'

/** How many of the least likely tokens are listed. */
const LISTED = 12

/** The most characters of a token's text that are listed. */
const MAX_TEXT = 40

/** Writes a probability for people. */
export function percentOf(logprob: number): string {
  const percent = 100 * Math.exp(logprob)
  return percent >= 10 ? `${Math.round(percent)} %` : percent >= 0.01 ? `${percent.toPrecision(2)} %` : 'below 0.01 %'
}

/** Writes a token with its probability. */
export function chanceOf({ text, logprob }: { readonly text: string; readonly logprob: number }): string {
  return `${JSON.stringify(shortened(text, MAX_TEXT))} ${percentOf(logprob)}`
}

/** Whether tokens are shaded, what the shades mean, and which tokens were the least likely. */
export function Probabilities({
  tokens,
  isShaded,
  onChoose,
}: {
  readonly tokens: readonly ShownToken[]
  readonly isShaded: Signal<boolean>
  readonly onChoose: (index: number) => void
}): JSX.Element | null {
  const least = useMemo(() => leastLikely(tokens), [tokens])
  if (least.length === 0) return null
  return (
    <div class="probabilities">
      <CheckBox label="Shade by probability" chosen={isShaded} />
      <p class="legend note shaded">
        {SHADES.map(({ words }, shade) => (
          <Fragment key={words}>
            <span class={`token model shade-${shade}`}>{words}</span>{' '}
          </Fragment>
        ))}
      </p>
      <details class="fold">
        <summary>The least likely tokens</summary>
        <ul class="diagnostics">
          {least.map(({ index, text, logprob, alternatives = [] }) => (
            <li key={index}>
              <button type="button" class="quiet" onClick={() => onChoose(index)}>
                {`Token ${index + 1}`}
              </button>{' '}
              {shownText(chanceOf({ text, logprob: logprob ?? 0 }))}
              {alternatives.length > 0 && (
                <span class="note"> of {shownText(alternatives.map(chanceOf).join(', '))}</span>
              )}
            </li>
          ))}
        </ul>
      </details>
    </div>
  )
}

function leastLikely(tokens: readonly ShownToken[]): ShownToken[] {
  return tokens
    .filter(({ logprob }) => logprob !== undefined)
    .sort((one, other) => (one.logprob ?? 0) - (other.logprob ?? 0))
    .slice(0, LISTED)
}
