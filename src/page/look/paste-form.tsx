import { type Signal, signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { share } from './ask-worker.js'

const EXAMPLE =
  '<|channel|>analysis<|message|>They greet me.<|end|><|start|>assistant<|channel|>final<|message|>Hello!<|return|>'

/** The longest text that is put into the field, in UTF-16 units. A longer one would stop the page. */
const MAX_TYPED = 200_000

const typed: Signal<string> = signal('')

/** Where a text is pasted, dropped or chosen. */
export function PasteForm({
  isReading,
  onLook,
  onStop,
}: {
  readonly isReading: boolean
  readonly onLook: (text: string | Blob) => void
  readonly onStop: () => void
}): JSX.Element {
  const picker = useRef<HTMLInputElement>(null)
  /** Takes a file, or a text that is too long for the field. */
  const take = (event: Event, given: DataTransfer | null): void => {
    const text = given?.getData('text/plain') ?? ''
    const taken = given?.files[0] ?? (text.length > MAX_TYPED ? text : undefined)
    if (taken === undefined) return
    event.preventDefault()
    onLook(taken)
  }
  return (
    <form
      class="paste"
      onSubmit={(event) => {
        event.preventDefault()
        onLook(typed.value)
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => take(event, event.dataTransfer)}
    >
      <label for="paste">Paste or drop Harmony text, token ids, a fixture, or a captured stream of any server</label>
      <textarea
        id="paste"
        class="code"
        rows={5}
        spellcheck={false}
        placeholder={EXAMPLE}
        value={typed.value}
        onInput={({ currentTarget }) => {
          typed.value = currentTarget.value
        }}
        onPaste={(event) => take(event, event.clipboardData)}
      />
      <div class="actions">
        <input
          ref={picker}
          type="file"
          hidden
          aria-label="File"
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0]
            if (file !== undefined) onLook(file)
            currentTarget.value = ''
          }}
        />
        <button type="button" class="quiet" onClick={() => picker.current?.click()}>
          Choose a file
        </button>
        <button type="button" class="quiet" onClick={() => onLook(EXAMPLE)}>
          Show an example
        </button>
        <span class="note progress" role="status">
          {isReading ? 'Reading …' : ''}
        </span>
        {isReading && <progress aria-label="Read so far" value={share.value} />}
        {isReading ? (
          <button
            key="act"
            type="button"
            class="main"
            onClick={(event) => {
              // By then it is the button that submits.
              event.preventDefault()
              onStop()
            }}
          >
            Stop
          </button>
        ) : (
          <button key="act" type="submit" class="main">
            Look
          </button>
        )}
      </div>
    </form>
  )
}
