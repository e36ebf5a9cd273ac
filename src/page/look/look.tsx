import { type Signal, signal } from '@preact/signals'
import type { JSX } from 'preact'
import { shownText } from '../parts/shown-text.js'
import type { Looked } from '../worker/looked.js'
import { askWorker, stopWorker } from './ask-worker.js'
import { CaptureView } from './capture-view.js'
import { TraceView } from './trace-view.js'

/** The largest file that is read as one text, in bytes. */
const MAX_FILE = 128 * 1024 * 1024

const EXAMPLE =
  '<|channel|>analysis<|message|>They greet me.<|end|><|start|>assistant<|channel|>final<|message|>Hello!<|return|>'

const typed: Signal<string> = signal('')
const looked: Signal<Looked | { readonly is: 'nothing' } | { readonly is: 'reading' }> = signal<
  Looked | { readonly is: 'nothing' } | { readonly is: 'reading' }
>({ is: 'nothing' })

async function lookAt(text: string): Promise<void> {
  looked.value = { is: 'reading' }
  looked.value = await askWorker(text)
}

async function lookAtFile(file: File | undefined): Promise<void> {
  if (file === undefined) return
  if (file.size > MAX_FILE) looked.value = { is: 'failed', why: `${file.name} is larger than 128 MiB.` }
  else await lookAt(await file.text())
}

/** What became of a text: of Harmony or token ids, the events; of a stream, what is wrong with it. */
export function Look(): JSX.Element {
  const result = looked.value
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by the keyboard.
    <section class="look" tabIndex={0} aria-label="Look inside">
      <form
        class="paste"
        onSubmit={(event) => {
          event.preventDefault()
          lookAt(typed.value)
        }}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault()
          lookAtFile(event.dataTransfer?.files[0])
        }}
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
        />
        <div class="actions">
          <button type="button" class="quiet" onClick={() => lookAt(EXAMPLE)}>
            Show an example
          </button>
          <span class="note progress" role="status">
            {result.is === 'reading' ? 'Reading …' : ''}
          </span>
          {result.is === 'reading' ? (
            <button
              key="act"
              type="button"
              class="main"
              onClick={() => {
                stopWorker()
                looked.value = { is: 'nothing' }
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
      {result.is === 'failed' && (
        <p class="wrong" role="alert">
          {shownText(result.why)}
        </p>
      )}
      {result.is === 'trace' && <TraceView key={result.records} what={result.what} records={result.records} />}
      {result.is === 'capture' && <CaptureView looked={result} />}
    </section>
  )
}
