import { type Signal, signal } from '@preact/signals'
import type { JSX } from 'preact'
import { shownText } from '../parts/shown-text.js'
import type { Looked } from '../worker/looked.js'
import { askWorker, stopWorker } from './ask-worker.js'
import { CaptureView } from './capture-view.js'
import { PasteForm } from './paste-form.js'
import { TraceView } from './trace-view.js'

const looked: Signal<Looked | { readonly is: 'nothing' } | { readonly is: 'reading' }> = signal<
  Looked | { readonly is: 'nothing' } | { readonly is: 'reading' }
>({ is: 'nothing' })

async function lookAt(text: string | Blob): Promise<void> {
  looked.value = { is: 'reading' }
  looked.value = await askWorker(text)
}

/** What became of a text: of Harmony or token ids, the events; of a stream, what is wrong with it. */
export function Look(): JSX.Element {
  const result = looked.value
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by the keyboard.
    <section class="look" tabIndex={0} aria-label="Look inside">
      <PasteForm
        isReading={result.is === 'reading'}
        onLook={lookAt}
        onStop={() => {
          stopWorker()
          looked.value = { is: 'nothing' }
        }}
      />
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
