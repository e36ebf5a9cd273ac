import type { Signal } from '@preact/signals'
import type { JSX } from 'preact'

/** A choice that is on or off. */
export function CheckBox({ label, chosen }: { readonly label: string; readonly chosen: Signal<boolean> }): JSX.Element {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={chosen.value}
        onChange={({ currentTarget }) => {
          chosen.value = currentTarget.checked
        }}
      />
      {label}
    </label>
  )
}
