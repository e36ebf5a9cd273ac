import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { BASE } from '../api/send.js'
import { LINK, pack } from './packed-text.js'

/** How long the page keeps what is saved, in milliseconds. */
const SAVING_MS = 10_000

/** Gives what is looked at to others, as a link or a file that this page reads. No server is sent any of it. */
export function Share({ text, name }: { readonly text: () => string; readonly name: string }): JSX.Element {
  const told = useSignal('')
  const copy = async (): Promise<void> => {
    const packed = await pack(text())
    if (packed === undefined) {
      told.value = 'This is too large for a link. Save it as a file.'
      return
    }
    told.value = await navigator.clipboard.writeText(`${BASE}${LINK}${packed}`).then(
      () => 'Copied. The link holds all of it.',
      () => 'The browser does not allow to copy.',
    )
  }
  const save = (): void => {
    const url = URL.createObjectURL(new Blob([text()]))
    const link = document.createElement('a')
    link.href = url
    link.download = name
    link.click()
    setTimeout(() => URL.revokeObjectURL(url), SAVING_MS)
    told.value = 'Saved. Drop the file here to see it again.'
  }
  return (
    <div class="actions">
      <button type="button" class="quiet" onClick={copy}>
        Copy a link
      </button>
      <button type="button" class="quiet" onClick={save}>
        Save as a file
      </button>
      <span class="note" role="status">
        {told}
      </span>
    </div>
  )
}
