import { type Signal, signal } from '@preact/signals'
import { BASE } from '../api/send.js'
import type { LookAnswer, LookRequest, LookResult, ShownRecord } from '../worker/look-result.js'

interface Policy {
  createScriptURL(url: string): string
}

let worker: Worker | undefined
let asked = 0

/** How much of what is asked for is read, from 0 to 1; undefined if that is not known. */
export const share: Signal<number | undefined> = signal<number | undefined>(undefined)

/** Lets the worker look at a text or a file. What it was asked before is given up. */
export function askWorker(text: string | Blob): Promise<LookResult> {
  if (asked > 0) stopWorker()
  worker ??= startWorker()
  const { current, id } = { current: worker, id: ++asked }
  const records: ShownRecord[] = []
  share.value = undefined
  return new Promise((resolve) => {
    current.onmessage = ({ data }: MessageEvent<LookAnswer>) => {
      if (data.id !== id) return
      if ('share' in data) share.value = data.share
      else if ('records' in data) for (const record of data.records) records.push(record)
      else if (data.looked.is !== 'trace') resolve(data.looked)
      else {
        for (const record of data.looked.records) records.push(record)
        resolve({ ...data.looked, records })
      }
    }
    current.onerror = () => resolve({ is: 'failed', why: 'The page could not load what reads it.' })
    const ask = (source: Blob): void => current.postMessage({ id, source } satisfies LookRequest)
    if (typeof text === 'string') fileOf(text).then(ask)
    else ask(text)
  })
}

/** How many UTF-16 units of a text are copied at a time. */
const COPIED = 1_000_000

/** Makes a file of a text. A long one is copied piece by piece, because the page would stop meanwhile. */
async function fileOf(text: string): Promise<Blob> {
  const pieces: Blob[] = []
  for (let from = 0; from < text.length; ) {
    if (from > 0) await new Promise((resolve) => setTimeout(resolve))
    const end = from + COPIED
    // Not between the two units of a character.
    const to = /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end + 1 : end
    pieces.push(new Blob([text.slice(from, to)]))
    from = to
  }
  return new Blob(pieces)
}

/** Ends whatever the worker does. */
export function stopWorker(): void {
  worker?.terminate()
  worker = undefined
}

function startWorker(): Worker {
  const name = document.querySelector<HTMLMetaElement>('meta[name=worker]')?.content ?? ''
  const url = new URL(name, BASE).href
  const { trustedTypes } = globalThis as {
    readonly trustedTypes?: { createPolicy(name: string, rules: Policy): Policy }
  }
  // The one address that the page runs a script from by itself.
  policy ??= trustedTypes?.createPolicy('harmony-responses', { createScriptURL: (given) => given })
  return new Worker(policy?.createScriptURL(url) ?? url, { type: 'module' })
}

let policy: Policy | undefined
