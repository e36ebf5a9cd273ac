import { BASE } from '../api/send.js'
import type { LookAnswer, Looked, ShownRecord } from '../worker/looked.js'

interface Policy {
  createScriptURL(url: string): string
}

let worker: Worker | undefined
let asked = 0

/** Lets the worker look at a text. What it was asked before is given up. */
export function askWorker(text: string): Promise<Looked> {
  if (asked > 0) stopWorker()
  worker ??= startWorker()
  const { current, id } = { current: worker, id: ++asked }
  const parts: (readonly ShownRecord[])[] = []
  return new Promise((resolve) => {
    current.onmessage = ({ data }: MessageEvent<LookAnswer>) => {
      if (data.id !== id) return
      if ('records' in data) parts.push(data.records)
      else if (data.looked.is !== 'trace') resolve(data.looked)
      else resolve({ ...data.looked, records: [...parts, data.looked.records].flat() })
    }
    current.onerror = () => resolve({ is: 'failed', why: 'The page could not load what reads it.' })
    current.postMessage({ id, text })
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
