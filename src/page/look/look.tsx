import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { shownText } from '../parts/shown-text.js'
import { CaptureView } from './capture-view.js'
import {
  type Looking,
  lookAt,
  lookAtLink,
  lookAtResponse,
  looking,
  stopLooking,
  unfinishedResponse,
} from './looking.js'
import { PasteForm } from './paste-form.js'
import { Share } from './share.js'
import { TraceView } from './trace-view.js'

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
      <PasteForm isReading={result.is === 'reading'} onLook={lookAt} onStop={stopLooking} />
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
  return <Share key={count} text={() => text} name={nameOf(text)} />
}

function nameOf(text: string | Blob): string {
  if (typeof text !== 'string') return text instanceof File ? text.name : 'looked-into'
  return /^\s*[[{]/.test(text) ? 'looked-into.json' : 'looked-into.txt'
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
