import type { JSX } from 'preact'
import { shownText } from '../parts/shown-text.js'
import type { Looked } from '../worker/looked.js'

/** What is wrong with a captured stream, line by line, and what each client makes of it. */
export function CaptureView({ looked }: { readonly looked: Extract<Looked, { is: 'capture' }> }): JSX.Element {
  const { what, findings, more, clients } = looked
  return (
    <>
      <h2>{what}</h2>
      <section class="findings" aria-label="Broken rules">
        {findings.length === 0 && <p>It keeps every rule.</p>}
        {findings.map(({ line, rule, severity, words, excerpt }) => (
          <div key={`${line} ${rule} ${words}`} class="finding">
            <p>
              <span class="kind">Line {line}</span> <b>{rule}</b>{' '}
              <span class={severity === 'error' ? 'wrong' : 'note'}>{severity}</span>
            </p>
            <p>{shownText(words)}</p>
            <p class="code excerpt">{shownText(excerpt)}</p>
          </div>
        ))}
        {more > 0 && <p class="note">{more} more are not shown.</p>}
      </section>
      {clients.length > 0 && (
        <section class="clients" aria-label="What each client shows">
          <h2>What each client shows</h2>
          <ul>
            {clients.map((text) => (
              <li key={text}>{shownText(text)}</li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}
