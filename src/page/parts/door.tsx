import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'

/** Asks for a key. */
export function KeyForm({
  title,
  label,
  note,
  wrong,
  onKey,
}: {
  readonly title: string
  readonly label: string
  readonly note: string
  /** Why the key that was typed in does not open. */
  readonly wrong: string | undefined
  readonly onKey: (key: string) => void
}): JSX.Element {
  const key = useSignal('')
  return (
    <form
      class="door"
      onSubmit={(event) => {
        event.preventDefault()
        onKey(key.value.trim())
      }}
    >
      <h2>{title}</h2>
      <label for="key">{label}</label>
      <input
        id="key"
        type="password"
        autocomplete="off"
        required
        value={key.value}
        aria-invalid={wrong !== undefined}
        aria-describedby="key-note"
        onInput={({ currentTarget }) => {
          key.value = currentTarget.value
        }}
      />
      <p id="key-note" class={wrong === undefined ? 'note' : 'wrong'} role={wrong === undefined ? undefined : 'alert'}>
        {wrong ?? note}
      </p>
      <button type="submit">Open</button>
    </form>
  )
}

/** Says why nothing can be shown, and tries again. */
export function NoConnection({ why, onRetry }: { readonly why: string; readonly onRetry: () => void }): JSX.Element {
  return (
    <div class="door" role="alert">
      <h2>No connection</h2>
      <p>{why}</p>
      <button type="button" onClick={onRetry}>
        Try again
      </button>
    </div>
  )
}
