import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import type { ClientSettings } from '../../cli/serve/client-lines.js'
import { DialogActions } from '../parts/dialog-actions.js'
import { type Code, requestCode } from './request-code.js'

/** A button that shows a request as code, and how other clients use this server. */
export function CodeDialog({
  bodyOf,
  client,
  label,
}: {
  readonly bodyOf: () => object
  readonly client: ClientSettings
  readonly label: string
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null)
  const codes = useSignal<readonly Code[]>([])
  const chosen = useSignal('curl')
  const shown = codes.value.find(({ title }) => title === chosen.value)
  return (
    <>
      <button
        type="button"
        class="quiet"
        onClick={() => {
          codes.value = requestCode(bodyOf(), client)
          dialog.current?.showModal()
        }}
      >
        {label}
      </button>
      <dialog ref={dialog} aria-label="The request as code">
        {shown !== undefined && (
          <>
            <div class="choices">
              {codes.value.map(({ title }) => (
                <button
                  key={title}
                  type="button"
                  aria-pressed={title === chosen.value}
                  onClick={() => {
                    chosen.value = title
                  }}
                >
                  {title}
                </button>
              ))}
            </div>
            <p class="note">{shown.about}</p>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by the keyboard. */}
            <pre tabIndex={0}>{shown.text}</pre>
            <DialogActions text={shown.text} what={shown.title} dialog={dialog} />
          </>
        )}
      </dialog>
    </>
  )
}
