import { type Signal, signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { shownText } from '../parts/shown-text.js'
import { CaptureView } from './capture-view.js'
import {
  type Looking,
  lookAt,
  lookAtFile,
  lookAtLink,
  lookAtResponse,
  looking,
  stopLooking,
  unfinishedResponse,
} from './looking.js'
import { Share } from './share.js'
import { TraceView } from './trace-view.js'

const EXAMPLE =
  '<|channel|>analysis<|message|>They greet me.<|end|><|start|>assistant<|channel|>final<|message|>Hello!<|return|>'

const typed: Signal<string> = signal('')

/**
 * What became of a text: of Harmony or token ids, the events; of a stream, what is wrong with it. Or what became of an
 * answer of the server.
 */
export function Look({
  response,
  packed,
}: {
  readonly response?: string | undefined
  /** The text of a link. */
  readonly packed?: string | undefined
}): JSX.Element {
  const result = looking.value
  useEffect(() => {
    const id = response ?? unfinishedResponse()
    if (packed !== undefined) lookAtLink(packed)
    else if (id !== undefined) lookAtResponse(id)
    else return
    return stopLooking
  }, [response, packed])
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
            <button key="act" type="button" class="main" onClick={stopLooking}>
              Stop
            </button>
          ) : (
            <button key="act" type="submit" class="main">
              Look
            </button>
          )}
        </div>
      </form>
      <Shared looking={result} />
      {result.is === 'failed' && <Broken why={result.why} response={result.response} />}
      {result.is === 'trace' && result.broken !== undefined && (
        <Broken why={result.broken} response={result.response} />
      )}
      {result.is === 'trace' && (
        <TraceView
          key={result.count}
          what={result.what}
          records={result.records}
          prompt={result.prompt}
          isLive={result.trace !== undefined}
        />
      )}
      {result.is === 'capture' && <CaptureView looked={result} />}
    </section>
  )
}

function Shared({ looking }: { readonly looking: Looking }): JSX.Element | null {
  if (looking.is !== 'trace' && looking.is !== 'capture') return null
  const { trace, text = '', count } = looking
  if (trace !== undefined)
    return <Share key={count} text={() => JSON.stringify(trace)} name={`${trace.response_id}.json`} />
  return <Share key={count} text={() => text} name={/^\s*[[{]/.test(text) ? 'looked-into.json' : 'looked-into.txt'} />
}

function Broken({ why, response }: { readonly why: string; readonly response: string | undefined }): JSX.Element {
  return (
    <div class="wrong" role="alert">
      <p>{shownText(why)}</p>
      {response !== undefined && (
        <button type="button" onClick={() => lookAtResponse(response)}>
          Read again
        </button>
      )}
    </div>
  )
}
