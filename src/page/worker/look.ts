import type { TokenSource } from '../../core/tokens/token-source.js'
import type { TraceRecord } from '../../core/trace/record.js'
import { traceRecords } from '../../core/trace/trace-records.js'
import type { TranslateOptions } from '../../defaults.js'
import { fixtureOptions, fixtureResponseId } from '../../engines/sources/fixture-options.js'
import { translateBatches } from '../../translate.js'
import { type Looked, lookedOf } from './looked.js'

/** How much of a text decides what it is. */
const HEAD = 4_096

/** How many records are told of together. */
const TOGETHER = 2_000

/** The most tokens that are kept. */
const MAX_TOKENS = 200_000

/** Told of the records of a response, a part at a time, before those in the result. */
export type OnRecords = (records: readonly TraceRecord[]) => void

/** Says what a text is, and what became of it. It never throws because of the text. */
export async function look(text: string, onRecords: OnRecords): Promise<Looked> {
  try {
    return await lookAt(text.trim(), onRecords)
  } catch (error) {
    return { is: 'failed', why: error instanceof Error ? error.message : String(error) }
  }
}

async function lookAt(text: string, onRecords: OnRecords): Promise<Looked> {
  const traced = (what: string, source: TokenSource, options: TranslateOptions): Promise<Looked> =>
    trace(what, source, options, onRecords)
  const pasted = { responseId: 'resp_pasted', clock: () => 0 }
  if (text === '') return { is: 'failed', why: 'There is nothing to look into.' }
  const ids = idsOf(text)
  if (ids !== undefined) return traced(`${ids.length} token ids`, [ids], pasted)
  const head = text.slice(0, HEAD)
  const kind = /^\{/.test(head) ? kindOf(text) : undefined
  if (kind === 'fixture') return await fixtureOf(text, traced)
  if (kind === 'trace') return await savedTrace(text)
  // The judge is large: it is loaded for what it can read.
  if (/^(?:event|data|id|retry)?:/m.test(head) || /^[[{]/.test(head)) return (await import('./judged.js')).judged(text)
  return traced('Harmony text', [text], pasted)
}

/** Returns the ids of a list of them: in brackets or not, with commas or not. */
function idsOf(text: string): number[] | undefined {
  if (!/^\[?\s*\d/.test(text) || /[^\d\s,[\]]/.test(text)) return undefined
  return Array.from(text.matchAll(/\d+/g), ([digits]) => Number(digits))
}

function kindOf(text: string): 'fixture' | 'trace' | undefined {
  try {
    const { tokens, object } = JSON.parse(text) as { readonly tokens?: unknown; readonly object?: unknown }
    return object === 'response.trace' ? 'trace' : Array.isArray(tokens) ? 'fixture' : undefined
  } catch {
    return undefined
  }
}

async function savedTrace(text: string): Promise<Looked> {
  const { readTrace } = await import('./read-trace.js')
  return lookedOf(readTrace(JSON.parse(text)))
}

async function fixtureOf(
  text: string,
  traced: (what: string, source: TokenSource, options: TranslateOptions) => Promise<Looked>,
): Promise<Looked> {
  const { readTokenFixture, replay } = await import('../../engines/sources/replay.js')
  const fixture = readTokenFixture(text)
  const responseId = fixtureResponseId(await sha256(fixture.name))
  return traced(`The fixture ${fixture.name}`, replay(fixture), { ...fixtureOptions(fixture), responseId })
}

/** Browsers have no digests where a page is not secure: there, any id does. */
async function sha256(text: string): Promise<string> {
  if (!isSecureContext) return 'pasted'
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

async function trace(
  what: string,
  source: TokenSource,
  options: TranslateOptions,
  onRecords: OnRecords,
): Promise<Looked> {
  let records: TraceRecord[] = []
  let tokens = 0
  const tracing = traceRecords((record) => {
    if (record.type === 'token') tokens += 1
    if (tokens > MAX_TOKENS) return
    records.push(record)
    if (records.length < TOGETHER) return
    onRecords(records)
    records = []
  })
  for await (const _ of translateBatches(source, { ...options, ...tracing })) if (tokens > MAX_TOKENS) break
  return { is: 'trace', what: tokens > MAX_TOKENS ? `${what}, of which the first are shown` : what, records }
}
