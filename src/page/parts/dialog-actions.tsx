import type { JSX, RefObject } from 'preact'
import { CopyButton } from './copy-button.js'

/** The buttons below what a dialog shows: to copy it, and to close the dialog. */
export function DialogActions({
  text,
  what,
  dialog,
}: {
  readonly text: string
  readonly what: string
  readonly dialog: RefObject<HTMLDialogElement | null>
}): JSX.Element {
  return (
    <div class="actions">
      <CopyButton text={text} what={what} />
      <button type="button" class="main" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </div>
  )
}
