import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { shownText } from '../parts/shown-text.js'
import type { Finding, LookResult } from '../worker/look-result.js'

/** How many findings are listed at once. */
const LISTED = 100

/** What is wrong with a captured stream, line by line, and what each client makes of it. */
export function CaptureView({ looked }: { readonly looked: Extract<LookResult, { is: 'capture' }> }): JSX.Element {
  const { what, rules, findings, clients, unread } = looked
  return (
    <>
      <h2>{what}</h2>
      <section class="findings" aria-label="Broken rules">
        {rules.length === 0 ? (
          <p>It keeps every rule.</p>
        ) : (
          <ul class="rules">
            {rules.map(({ rule, severity, count }) => (
              <li key={rule}>
                <b>{rule}</b> <span class={severity === 'error' ? 'wrong' : 'note'}>{severity}</span>{' '}
                <span class="note">
                  {count.toLocaleString('en')} {count === 1 ? 'time' : 'times'}
                </span>
              </li>
            ))}
          </ul>
        )}
        <Findings key={findings} findings={findings} all={rules.reduce((sum, { count }) => sum + count, 0)} />
      </section>
      <section class="clients" aria-label="What each client shows">
        <h2>What each client shows</h2>
        {unread !== undefined && <p class="note">Not of all of it: {shownText(unread)}</p>}
        {clients.map((texts, stream) => (
          <ul key={stream} aria-label={`Stream ${stream + 1}`}>
            {texts.map((text) => (
              <li key={text}>{shownText(text)}</li>
            ))}
          </ul>
        ))}
      </section>
    </>
  )
}

/** The findings that are kept, some at a time. */
function Findings({ findings, all }: { readonly findings: readonly Finding[]; readonly all: number }): JSX.Element {
  const from = useSignal(0)
  const to = Math.min(from.value + LISTED, findings.length)
  return (
    <>
      {findings.length > LISTED && (
        <div class="pages">
          <button type="button" disabled={from.value === 0} onClick={() => (from.value -= LISTED)}>
            Earlier
          </button>
          <span role="status">
            {from.value + 1} to {to} of {findings.length.toLocaleString('en')}
          </span>
          <button type="button" disabled={to === findings.length} onClick={() => (from.value += LISTED)}>
            Later
          </button>
        </div>
      )}
      {findings.slice(from.value, to).map(({ line, rule, severity, words, excerpt }, index) => (
        <div key={from.value + index} class="finding">
          <p>
            <span class="kind">Line {line}</span> <b>{rule}</b>{' '}
            <span class={severity === 'error' ? 'wrong' : 'note'}>{severity}</span>
          </p>
          <p>{shownText(words)}</p>
          <p class="code excerpt">{shownText(excerpt)}</p>
        </div>
      ))}
      {all > findings.length && (
        <p class="note">{(all - findings.length).toLocaleString('en')} more of the same rules are counted above.</p>
      )}
    </>
  )
}
