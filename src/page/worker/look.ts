import type { TokenSource } from '../../core/tokens/token-source.js'
import type { TraceRecord } from '../../core/trace/record.js'
import { traceRecords } from '../../core/trace/trace-records.js'
import type { TranslateOptions } from '../../defaults.js'
import { fixtureOptions, fixtureResponseId } from '../../engines/sources/fixture-options.js'
import { translateBatches } from '../../translate.js'
import { type LookProgress, type LookResult, traceResult } from './look-result.js'
import { type Source, sourceOf } from './pieces.js'

/** How many bytes of a text decide what it is. */
const HEAD = 4_096

/** The largest capture that is read, piece by piece, and the largest text of another kind, in bytes. */
const MAX_CAPTURE = 1024 ** 3
const MAX_TEXT = 128 * 1024 ** 2

/** How many records are told of together. */
const TOGETHER = 2_000

/** The most tokens that are kept. */
const MAX_TOKENS = 200_000

type Tell = (told: LookProgress) => void

/** Tokens, and what a translator has to know of them. */
interface Recording {
  readonly what: string
  readonly source: TokenSource
  readonly options: TranslateOptions
}

/**
 * Says what a text is, and what became of it. It never throws because of the text.
 *
 * @param open - reads a file piece by piece
 */
export async function look(file: Blob, tell: Tell, open: (file: Blob) => Source = sourceOf): Promise<LookResult> {
  try {
    return await lookAt(file, tell, open)
  } catch (error) {
    return { is: 'failed', why: error instanceof Error ? error.message : String(error) }
  }
}

async function lookAt(file: Blob, tell: Tell, open: (file: Blob) => Source): Promise<LookResult> {
  const head = (await file.slice(0, HEAD).text()).trimStart()
  const isJson = /^[[{]/.test(head)
  if (!isStream(head) && file.size <= MAX_TEXT) {
    const text = (await file.text()).trim()
    if (text === '') return { is: 'failed', why: 'There is nothing to look into.' }
    const kind = text.startsWith('{') ? kindOf(text) : undefined
    if (kind === 'trace') return await savedTrace(text, tell)
    const recording = kind === 'fixture' ? await fixtureOf(text) : idsOf(text)
    if (recording !== undefined) return await traced(recording, tell)
    if (!isJson) return await traced({ what: 'Harmony text', source: [text], options: PASTED }, tell)
  } else if (!isStream(head) && !isJson) {
    return { is: 'failed', why: 'Only a captured stream may be larger than 128 MiB.' }
  }
  if (file.size > MAX_CAPTURE) return { is: 'failed', why: 'A captured stream may be at most 1 GiB large.' }
  // The judge is large: it is loaded for what it can read.
  const { judgeCapture } = await import('./judge-capture.js')
  return judgeCapture(open(file), (share) => tell({ share }))
}

const PASTED: TranslateOptions = { responseId: 'resp_pasted', clock: () => 0 }

/** Whether a text begins like a stream, or is none. */
function isStream(head: string): boolean {
  return /^(?:event|data|id|retry)?:/m.test(head) || head.includes('\0')
}

/** Returns the ids of a list of them: in brackets or not, with commas or not. */
function idsOf(text: string): Recording | undefined {
  if (!/^\[?\s*\d/.test(text) || /[^\d\s,[\]]/.test(text)) return undefined
  const ids: number[] = []
  let count = 0
  // A list of 128 MiB has 64 million of them, of which no more than are shown are kept, and one that says that there are more.
  for (const [digits] of text.matchAll(/\d+/g)) if (count++ <= MAX_TOKENS) ids.push(Number(digits))
  return { what: `${count} token ids`, source: [ids], options: PASTED }
}

async function fixtureOf(text: string): Promise<Recording> {
  const { readTokenFixture, replay } = await import('../../engines/sources/replay.js')
  const fixture = readTokenFixture(text)
  const responseId = fixtureResponseId(await sha256(fixture.name))
  const options = { ...fixtureOptions(fixture), responseId }
  return { what: `The fixture ${fixture.name}`, source: replay(fixture), options }
}

function kindOf(text: string): 'fixture' | 'trace' | undefined {
  try {
    const { tokens, object } = JSON.parse(text) as { readonly tokens?: unknown; readonly object?: unknown }
    return object === 'response.trace' ? 'trace' : Array.isArray(tokens) ? 'fixture' : undefined
  } catch {
    return undefined
  }
}

async function savedTrace(text: string, tell: Tell): Promise<LookResult> {
  const { readTrace } = await import('./read-trace.js')
  const trace = readTrace(JSON.parse(text))
  const { data } = trace
  for (let from = 0; from < data.length; from += TOGETHER) tell({ records: data.slice(from, from + TOGETHER) })
  return traceResult({ ...trace, data: [] })
}

/** Browsers have no digests where a page is not secure: there, any id does. */
async function sha256(text: string): Promise<string> {
  if (!isSecureContext) return 'pasted'
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

async function traced({ what, source, options }: Recording, tell: Tell): Promise<LookResult> {
  let records: TraceRecord[] = []
  let tokens = 0
  const tracing = traceRecords((record) => {
    if (record.type === 'token') tokens += 1
    if (tokens > MAX_TOKENS) return
    records.push(record)
    if (records.length < TOGETHER) return
    tell({ records })
    records = []
  })
  for await (const _ of translateBatches(source, { ...options, ...tracing })) if (tokens > MAX_TOKENS) break
  return { is: 'trace', what: tokens > MAX_TOKENS ? `${what}, of which the first are shown` : what, records }
}
