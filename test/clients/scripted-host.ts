import { EngineError } from '../../src/engine/engine-error.js'
import type { TokenEngine, TokenStream } from '../../src/engine/index.js'
import { tokenStream } from '../../src/engine/token-stream.js'
import type { HostTokens, StreamEnd, TokenChunk } from '../../src/index.js'
import type { Tool } from '../../src/respond/index.js'
import { chunksOf, isInsertion, type SourceHooks } from './pushed-events.js'
import { HOST_ERROR, type Script } from './scenarios.js'

/** What the model writes in one call, and what the host's tools answer to it. */
interface ModelCall {
  readonly chunks: TokenChunk[]
  readonly results: string[]
}

/** An engine that plays a script, and the tools that give the results in it. */
export interface ScriptedHost {
  readonly engine: TokenEngine
  readonly tools: readonly Tool[]
}

/** The host of one response: its engine plays a model call of the script after the other. */
export function scriptedHost(script: Script, hooks: SourceHooks): ScriptedHost {
  const calls = modelCalls(script)
  const results = calls.flatMap((call) => call.results)
  let next = 0
  const engine: TokenEngine = {
    generate(_prompt, { signal } = {}): TokenStream {
      const call = calls[next++]
      const isLast = next === calls.length
      return tokenStream((closed) => play(call?.chunks ?? [], isLast ? script.end : {}, closed, hooks), signal)
    },
    health: async () => {},
  }
  const tool: Tool = {
    answers: () => true,
    async run() {
      return { output: results.shift() ?? 'nothing' }
    },
  }
  return { engine, tools: [tool] }
}

/** A model stops at a call; what the host says between is the result of it. */
function modelCalls({ tokens }: Script): readonly ModelCall[] {
  const calls: ModelCall[] = []
  let isOver = true
  for (const part of tokens) {
    if (isInsertion(part)) throw new Error('respond puts no items of its own into a stream')
    if (isHostTokens(part)) {
      if (calls.length === 0) calls.push({ chunks: [], results: [] })
      calls.at(-1)?.results.push(outputIn(part))
      isOver = true
      continue
    }
    if (isOver) calls.push({ chunks: [], results: [] })
    calls.at(-1)?.chunks.push(...chunksOf(part))
    isOver = typeof part === 'string' && part.endsWith('<|call|>')
  }
  // The results of approved calls come before the model is asked.
  return calls.filter(({ chunks }) => chunks.length > 0).length === 0 ? calls : withoutSilence(calls)
}

function withoutSilence(calls: readonly ModelCall[]): readonly ModelCall[] {
  const [first, second, ...rest] = calls
  if (first === undefined || second === undefined || first.chunks.length > 0) return calls
  return [{ chunks: second.chunks, results: [...first.results, ...second.results] }, ...rest]
}

function isHostTokens(part: Script['tokens'][number]): part is HostTokens {
  return typeof part === 'object' && 'host' in part
}

function outputIn({ host }: HostTokens): string {
  return /<\|message\|>(.*)<\|end\|>/s.exec(String(host))?.[1] ?? ''
}

/** A token at a time, and then the end of the script. */
async function* play(
  chunks: readonly TokenChunk[],
  end: Script['end'],
  closed: AbortSignal,
  { onHangs, onClosed }: SourceHooks,
): AsyncGenerator<TokenChunk, StreamEnd | undefined> {
  yield* chunks
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
