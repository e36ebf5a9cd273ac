import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import type { HostTokens } from '../../src/core/tokens/token-source.js'
import type { OfficialMessage } from './official-parser.js'

/**
 * The folder of shared test data, from the environment variable HARMONY_SHARED, or `undefined` if it is not set. It
 * holds `data/harmony/golden/*.json`, `data/harmony/fuzz.jsonl`, `data/captured/vllm/*.json`, `data/captured/llama-server`
 * `data/requests/*.json` and `data/requests-2/*.json`.
 */
export function sharedFolder(): string | undefined {
  const folder = process.env['HARMONY_SHARED']
  if (folder === undefined || folder === '') return undefined
  if (!existsSync(join(folder, 'data'))) throw new Error(`HARMONY_SHARED is set to ${folder}, which has no data folder`)
  return folder
}

/** A `describe` for suites that need the shared data; without it, one skipped test names what is missing. */
export function describeWithShared(name: string, fn: () => void): void {
  if (sharedFolder() !== undefined) describe(name, fn)
  else describe(name, () => test.skip('needs the shared data: set HARMONY_SHARED to its folder', () => {}))
}

/** The parser's state after one token. */
export interface GoldenStep {
  token: number
  state: 'ExpectStart' | 'Header' | 'Content'
  role: string | null
  channel: string | null
  recipient: string | null
  contentType: string | null
  delta: string | null
  error?: string
}

export interface GoldenRun {
  steps: GoldenStep[]
  messages: OfficialMessage[]
  /** The first error, and the token it came at. */
  error: string | null
  errorIndex: number | null
  currentContent?: string
}

/** One stream through the official parser: version 0.4.0 at the top level, the newest revision under `head`. */
export interface GoldenTrace extends GoldenRun {
  name: string
  role: 'assistant' | null
  /** The tokens as text with literal markers; null if they cannot be written like that. */
  text: string | null
  tokens: number[]
  head: Record<'strict' | 'lenient', GoldenRun & { eos: { messages?: OfficialMessage[] | null; error: string | null } }>
}

/** The newest official revision's result for a random token sequence. */
export interface FuzzRun {
  deltas: (string | null)[]
  /** By the token's index, as a string. */
  errors: Record<string, string>
  /** All messages, the one that the end of the stream closed included. */
  messages: OfficialMessage[]
  messagesBeforeEos: number
  eosError: string | null
}

export interface FuzzTrace {
  role: 'assistant' | null
  tokens: number[]
  strict: FuzzRun
  lenient: FuzzRun
}

/** The tokens behind a captured vLLM run, and the text deltas it should give, as `[event type, delta]`. */
export interface VllmTrace {
  name: string
  request: Record<string, unknown>
  text: string
  tokens: (number | HostTokens)[]
  deltas: [string, string][]
}

/** One file per stream, in the order of their names. */
export function goldenTraces(): GoldenTrace[] {
  return readFolder<GoldenTrace>('data/harmony/golden', '.json')
}

export function fuzzTraces(): FuzzTrace[] {
  const lines = readFileSync(sharedPath('data/harmony/fuzz.jsonl'), 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as FuzzTrace)
}

export function vllmTraces(): VllmTrace[] {
  return readFolder<VllmTrace>('data/captured/vllm', '.json')
}

/** A real llama-server's answer to one request, and the ids that its scripted model had sampled. */
export interface LlamaServerCapture {
  name: string
  request: { prompt: number[]; n_predict: number; n_probs?: number }
  status: number
  body: string
  /** `undefined` if the script was not recorded. */
  emitted: number[] | undefined
}

/** The answers of `POST /completion`. */
export function llamaServerCaptures(): LlamaServerCapture[] {
  const folder = sharedPath('data/captured/llama-server')
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  const scripts = new Map<string, number[]>()
  for (const file of ['cases.json', 'cases2.json']) {
    for (const { prompt, emit } of JSON.parse(read(file))) scripts.set(JSON.stringify(prompt), emit)
  }
  const names = readdirSync(folder).flatMap((file) => /^(completion-.+)\.txt$/.exec(file)?.[1] ?? [])
  return names.sort().map((name) => {
    const request: LlamaServerCapture['request'] = JSON.parse(read(`${name}.request.json`))
    const answer = read(`${name}.txt`)
    const end = answer.indexOf('\r\n\r\n')
    const script = scripts.get(JSON.stringify(request.prompt))
    return {
      name,
      request,
      status: Number(/ (\d{3}) /.exec(answer)?.[1]),
      body: answer.slice(end + 4),
      emitted: request.n_predict < 0 ? script : script?.slice(0, request.n_predict),
    }
  })
}

/** A request that a real client sent: by HTTP, or as a message of a WebSocket. */
export interface CapturedRequest {
  /** `CLIENT.SCENARIO-NN`. */
  name: string
  method: string
  url: string
  body?: Record<string, unknown>
}

/** Everything that the clients sent to the APIs that are served here, in the order of the names. */
export function capturedRequests(): CapturedRequest[] {
  const folders = ['data/requests', 'data/requests-2'].map(sharedPath).filter(existsSync)
  const captured = folders.flatMap((folder) => {
    const names = readdirSync(folder).filter((file) => file.endsWith('.json') && file !== 'index.json')
    return names.sort().map((file): CapturedRequest => {
      const { method, url, body }: CapturedRequest = JSON.parse(readFileSync(join(folder, file), 'utf8'))
      return { name: file.slice(0, -'.json'.length), method, url, ...(body && { body }) }
    })
  })
  // Claude Code's requests are for another API.
  return captured.filter(({ name }) => !name.startsWith('claude-'))
}

/** The requests to create a response. */
export function capturedCreateRequests(): (CapturedRequest & { body: Record<string, unknown> })[] {
  return capturedRequests().flatMap(({ name, method, url, body }) => {
    const isCreate = method === 'POST' ? url.endsWith('/v1/responses') : body?.['type'] === 'response.create'
    return isCreate && body !== undefined ? [{ name, method, url, body }] : []
  })
}

function sharedPath(path: string): string {
  const folder = sharedFolder()
  if (folder === undefined) throw new Error('HARMONY_SHARED is not set: use describeWithShared')
  return join(folder, path)
}

function readFolder<T>(path: string, extension: string): T[] {
  const folder = sharedPath(path)
  const files = readdirSync(folder).filter((file) => file.endsWith(extension))
  return files.sort().map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as T)
}
