import type { ResponseHandle, Tool } from '../../src/endpoint/respond/index.js'
import { EngineError } from '../../src/engines/contract/engine-error.js'
import type { TokenEngine, TokenStream } from '../../src/engines/contract/index.js'
import { tokenStream } from '../../src/engines/contract/token-stream.js'
import type { HostTokens, StreamEnd, TokenChunk } from '../../src/index.js'
import { encodeHarmony } from '../support/tokens.js'
import { HOST_ERROR, type Insertion, type Script } from './scenarios.js'

/** The model's output in one call, the host's insertions meanwhile, and the results of its tools. */
interface ModelCall {
  readonly parts: (TokenChunk | Insertion)[]
  readonly results: string[]
}

/** An engine that plays a script, the tool that returns its results, and the code that inserts its items. */
export interface ScriptedHost {
  readonly engine: TokenEngine
  readonly tool: Tool
  onOpen(response: ResponseHandle): void
}

/** Events of a source for the test. */
export interface SourceHooks {
  readonly onHangs: () => void
  readonly onClosed: () => void
}

const isInsertion = (part: Script['tokens'][number]): part is Insertion => typeof part === 'object' && 'insert' in part

/** A part of a script as the engine gives it: text a token at a time. */
export const chunksOf = (part: TokenChunk): readonly TokenChunk[] =>
  typeof part === 'string' ? encodeHarmony(part) : [part]

/** The host of one response: its engine plays the script's model calls one after the other. */
export function scriptedHost(script: Script, hooks: SourceHooks): ScriptedHost {
  const calls = modelCalls(script)
  const results = calls.flatMap((call) => call.results)
  let next = 0
  let response: ResponseHandle | undefined
  const insert = ({ insert: item }: Insertion): void => {
    if (response?.insert(item) !== true) throw new Error(`the response takes no ${item.type}`)
  }
  const engine: TokenEngine = {
    generate(_prompt, { signal } = {}): TokenStream {
      const call = calls[next++]
      const isLast = next === calls.length
      const end = isLast ? script.end : {}
      return tokenStream((closed) => play(call?.parts ?? [], end, { ...hooks, closed, insert }), signal)
    },
    health: async () => {},
  }
  const tool: Tool = {
    // A call without a result in the script is not answered.
    answers: () => results.length > 0,
    async run() {
      return { output: results.shift() ?? '' }
    },
  }
  return {
    engine,
    tool,
    onOpen(opened) {
      response = opened
    },
  }
}

/** A model stops at a call; the host's message after it is its result. */
function modelCalls({ tokens }: Script): readonly ModelCall[] {
  const calls: ModelCall[] = []
  let isOver = true
  for (const part of tokens) {
    if (isHostTokens(part)) {
      if (calls.length === 0) calls.push({ parts: [], results: [] })
      calls.at(-1)?.results.push(outputIn(part))
      isOver = true
      continue
    }
    if (isOver) calls.push({ parts: [], results: [] })
    calls.at(-1)?.parts.push(...(isInsertion(part) ? [part] : chunksOf(part)))
    isOver = typeof part === 'string' && part.endsWith('<|call|>')
  }
  // The results of approved calls come before the model is called.
  return calls.filter(({ parts }) => parts.length > 0).length === 0 ? calls : withoutSilence(calls)
}

function withoutSilence(calls: readonly ModelCall[]): readonly ModelCall[] {
  const [first, second, ...rest] = calls
  if (first === undefined || second === undefined || first.parts.length > 0) return calls
  return [{ parts: second.parts, results: [...first.results, ...second.results] }, ...rest]
}

function isHostTokens(part: Script['tokens'][number]): part is HostTokens {
  return typeof part === 'object' && 'host' in part
}

function outputIn({ host }: HostTokens): string {
  if (typeof host === 'object' && 'text' in host) return host.text
  return /<\|message\|>(.*)<\|end\|>/s.exec(String(host))?.[1] ?? ''
}

interface PlayOptions extends SourceHooks {
  readonly closed: AbortSignal
  readonly insert: (insertion: Insertion) => void
}

/** Yields one token at a time, and then the end of the script. An insertion comes before the next token. */
async function* play(
  parts: ModelCall['parts'],
  end: Script['end'],
  { closed, insert, onHangs, onClosed }: PlayOptions,
): AsyncGenerator<TokenChunk, StreamEnd | undefined> {
  for (const part of parts) {
    if (isInsertion(part)) insert(part)
    else yield part
  }
  if (end === 'throws') throw new EngineError('server_error', HOST_ERROR)
  if (end === 'breaks') throw new Error(HOST_ERROR)
  if (end !== 'hangs') return { reason: 'stop', ...end }
  onHangs()
  await new Promise<void>((resolve) => {
    if (closed.aborted) resolve()
    else closed.addEventListener('abort', () => resolve())
  })
  onClosed()
  return {}
}
