import type { JSX } from 'preact'
import type { DiagnosticRecord } from '../../core/trace/index.js'
import { shownText } from '../parts/shown-text.js'

/** The most diagnostics that are listed. */
const MAX_LISTED = 300

/** What was repaired, dropped or suspicious, each with its token. */
export function DiagnosticsList({
  diagnostics,
  at,
  onChoose,
}: {
  readonly diagnostics: readonly DiagnosticRecord[]
  /** The token that is shown. */
  readonly at: number
  readonly onChoose: (index: number) => void
}): JSX.Element | null {
  if (diagnostics.length === 0) return null
  // Those around the token, if they are too many.
  const reached = diagnostics.findLastIndex(({ index }) => index <= at)
  const from = Math.max(0, Math.min(reached - MAX_LISTED / 2, diagnostics.length - MAX_LISTED))
  const listed = diagnostics.slice(from, from + MAX_LISTED)
  return (
    <section class="diagnosed" aria-label="Diagnostics">
      <h3>{`Diagnostics: ${diagnostics.length}`}</h3>
      {listed.length < diagnostics.length && (
        <p class="note">{`Number ${from + 1} to ${from + listed.length}. Step on or back to see others.`}</p>
      )}
      <ul class="diagnostics">
        {listed.map(({ index, code, explanation }, place) => (
          <li key={from + place} aria-current={index === at ? 'step' : undefined}>
            {index >= 0 && (
              <button type="button" class="quiet" onClick={() => onChoose(index)}>
                {`Token ${index + 1}`}
              </button>
            )}{' '}
            <b>{shownText(code)}</b>: {shownText(explanation)}
          </li>
        ))}
      </ul>
    </section>
  )
}
