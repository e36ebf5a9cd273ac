import { type Signal, signal } from '@preact/signals'
import type { TraceRecord } from '../../core/trace/record.js'
import { BASE } from '../api/send.js'
import type { LookAnswer, Looked, LookRequest } from '../worker/looked.js'

interface Policy {
  createScriptURL(url: string): string
}

let worker: Worker | undefined
let asked = 0

/** How much of what is asked for is read, from 0 to 1; undefined if that is not known. */
export const share: Signal<number | undefined> = signal<number | undefined>(undefined)

/** Lets the worker look at a text or a file. What it was asked before is given up. */
export function askWorker(text: string | Blob): Promise<Looked> {
  if (asked > 0) stopWorker()
  worker ??= startWorker()
  const { current, id } = { current: worker, id: ++asked }
  const parts: (readonly TraceRecord[])[] = []
  share.value = undefined
  return new Promise((resolve) => {
    current.onmessage = ({ data }: MessageEvent<LookAnswer>) => {
      if (data.id !== id) return
      if ('share' in data) share.value = data.share
      else if ('records' in data) parts.push(data.records)
      else if (data.looked.is !== 'trace') resolve(data.looked)
      else resolve({ ...data.looked, records: [...parts, data.looked.records].flat() })
    }
    current.onerror = () => resolve({ is: 'failed', why: 'The page could not load what reads it.' })
    const request: LookRequest = { id, source: typeof text === 'string' ? new Blob([text]) : text }
    current.postMessage(request)
  })
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
