import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'

/** How long it says that the text is copied, in milliseconds. */
const SAYS_MS = 2_000

/** Copies a text to the clipboard. A long one is made when it is copied. */
export function CopyButton({
  text,
  what,
}: {
  readonly text: string | (() => string)
  readonly what: string
}): JSX.Element {
  const state = useSignal<'Copy' | 'Copied' | 'Not allowed'>('Copy')
  const copy = async (): Promise<void> => {
    state.value = await navigator.clipboard.writeText(typeof text === 'string' ? text : text()).then(
      () => 'Copied' as const,
      () => 'Not allowed' as const,
    )
    setTimeout(() => {
      state.value = 'Copy'
    }, SAYS_MS)
  }
  return (
    <button type="button" class="quiet" aria-label={`Copy ${what}`} onClick={copy}>
      <span aria-live="polite">{state}</span>
    </button>
  )
}
