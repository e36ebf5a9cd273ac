import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { shownText } from '../parts/shown-text.js'
import { TableHead } from '../parts/table-head.js'
import { now, slots } from './figures.js'
import { cancel } from './gate.js'
import type { Slot } from './slots.js'
import { durationWords, numberWords, shareWords } from './words.js'

/** The most rows. */
const MAX_ROWS = 100

/** What runs now, a row each. */
export function RunningTable(): JSX.Element {
  if (slots.value.length === 0) return <p class="note">{now.value === undefined ? 'Reading …' : 'Nothing runs.'}</p>
  return (
    <>
      <table class="running">
        <TableHead names={['Response', 'Owner', 'Engine', 'Age', 'Tokens', 'Tokens/s', 'Cached', 'Cancel']} />
        <tbody>
          {slots.value.slice(0, MAX_ROWS).map((slot, index) =>
            slot === undefined ? (
              <tr key={index} class="free">
                <td colSpan={8}>
                  <span class="note">Free</span>
                </td>
              </tr>
            ) : (
              <RunningRow key={slot.running.id} {...slot} />
            ),
          )}
        </tbody>
      </table>
      {slots.value.length > MAX_ROWS && <p class="note">{slots.value.length - MAX_ROWS} more run.</p>}
    </>
  )
}

const CANCELLED: Readonly<Record<string, string>> = { cancelled: 'Cancelled', cancelling: 'Cancelling …' }

function RunningRow({ running, endedAt }: NonNullable<Slot>): JSX.Element {
  const { id, owner, engine, age_seconds, tokens, tokens_per_second, cached_share } = running
  const outcome = useSignal<{ readonly status?: string; readonly why?: string }>({})
  const { status, why } = outcome.value
  const isOver = endedAt !== undefined || status !== undefined
  return (
    <tr class={isOver ? 'over' : ''}>
      <th scope="row" class="code">
        {shownText(id)}
      </th>
      <td data-name="Owner">{shownText(owner)}</td>
      <td data-name="Engine">{shownText(engine)}</td>
      <td data-name="Age">{durationWords(age_seconds)}</td>
      <td data-name="Tokens">{numberWords(tokens)}</td>
      <td data-name="Tokens/s">{numberWords(tokens_per_second)}</td>
      <td data-name="Cached">{shareWords(cached_share)}</td>
      <td>
        <button
          type="button"
          // One that is disabled would lose the focus.
          aria-disabled={isOver}
          aria-label={isOver ? undefined : `Cancel ${id}`}
          onClick={async () => {
            if (isOver) return
            outcome.value = { status: 'cancelling' }
            outcome.value = await cancel(id)
          }}
        >
          {isOver ? (CANCELLED[status ?? ''] ?? 'Ended') : 'Cancel'}
        </button>
        {why !== undefined && (
          <p class="wrong" role="alert">
            {shownText(why)}
          </p>
        )}
      </td>
    </tr>
  )
}
