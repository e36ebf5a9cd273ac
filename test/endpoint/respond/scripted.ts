import { STOP_TOKENS } from '../../../src/core/harmony/stop-tokens.js'
import type { ResponseStreamEvent } from '../../../src/core/responses/events.js'
import type { OutputItem } from '../../../src/core/responses/items.js'
import type { ResponseRequest } from '../../../src/core/responses/request.js'
import type { ResponseObject } from '../../../src/core/responses/response.js'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import type { Entry } from '../../../src/endpoint/journal/entry.js'
import { type RespondOptions, respond, translateEntries } from '../../../src/endpoint/respond/index.js'
import type { Tool } from '../../../src/endpoint/tools/tool.js'
import type { EngineCapabilities } from '../../../src/engines/contract/constraint.js'
import type { GenerateOptions, TokenEngine } from '../../../src/engines/contract/engine.js'
import { tokenStream } from '../../../src/engines/contract/token-stream.js'
import { encodeHarmony, encodeText, m } from '../../support/tokens.js'

const tokenTable = await loadTokenTable()
const START = [m.start, ...encodeText('assistant')]

/** The calls of an engine: the context of each, and its limit of tokens. */
export interface Asked {
  readonly context: readonly number[]
  readonly maxTokens: number | undefined
}

/** The calls of a model with constraints, and its output. */
export interface Held extends Asked {
  readonly options: GenerateOptions
  readonly given: readonly number[]
}

/** A model that ignores the schema, unless it is constrained. */
export interface HeldScript {
  /** Its script under constraints: each body fits its constraint. */
  readonly held: readonly string[]
  /** Its script without constraints. Default: the same. */
  readonly free?: readonly string[]
  readonly capabilities?: EngineCapabilities
  readonly calls?: Held[]
  /** How many tokens a step gives. Default 1. */
  readonly size?: number
  /** Whether ends of sequence are not sent in bodies. */
  readonly swallows?: boolean
  /** The cached part of each context that it reports. */
  readonly cachedTokens?: number
}

/**
 * A model that continues its script from its position in the context, as {@link modelOf}, and supports constraints:
 * without a constraint it follows its free script, unless the context already contains a part of the other.
 */
export function heldModelOf({ held, free = held, capabilities, calls = [], ...how }: HeldScript): TokenEngine {
  const { size = 1, swallows = false, cachedTokens } = how
  return {
    generate(prompt, options = {}) {
      const context = [...prompt]
      const { constraint, maxTokens, stop = STOP_TOKENS } = options
      const scripts = (constraint === undefined ? [free, held] : [held]).map((turns) => turns.map(encodeHarmony))
      const script = scripts.flatMap((turns) => restsOf(turns, context))[0]
      if (script === undefined) throw new Error('no script goes on like this')
      // A text that is complete is followed by an end.
      const ends = constraint === undefined ? stop : [...stop, m.end]
      const end = script.findIndex((id) => ends.includes(id))
      let rest = end === -1 ? script : script.slice(0, end + 1)
      const isInBody = constraint !== undefined || context.findLast((id) => id > m.endoftext) === m.message
      if (swallows && isInBody) rest = rest.filter((id) => !STOP_TOKENS.includes(id))
      const given = maxTokens === undefined ? rest : rest.slice(0, maxTokens)
      calls.push({ context, maxTokens, options, given })
      return tokenStream(async function* () {
        for (let at = 0; at < given.length; at += size) yield given.slice(at, at + size)
        const reason = given.length < rest.length ? ('max_output_tokens' as const) : ('stop' as const)
        return { reason, ...(cachedTokens !== undefined && { usage: { cachedTokens } }) }
      }, options.signal)
    },
    health: async () => {},
    ...(capabilities && { capabilities: async () => capabilities }),
  }
}

/** The rest of a script in this context; empty if the context differs. */
function restsOf(turns: readonly number[][], context: readonly number[]): number[][] {
  let at = indexOf(context, START, 0)
  for (const script of turns) {
    const said = context.slice(at + START.length)
    const isSame = (count: number): boolean => said.slice(0, count).every((id, offset) => script[offset] === id)
    if (said.length < script.length) return isSame(said.length) ? [script.slice(said.length)] : []
    if (!isSame(script.length)) return []
    at = indexOf(context, START, at + START.length + script.length)
    if (at === -1) return []
  }
  return []
}

/**
 * A stateless model that plays the turns of a script: it finds its position in the context. So it continues in the
 * middle of a turn, like a real model.
 */
export function modelOf(turns: readonly string[], asked: Asked[] = []): TokenEngine {
  const scripts = turns.map(encodeHarmony)
  return {
    generate(context, { maxTokens, signal, stop = STOP_TOKENS } = {}) {
      asked.push({ context: [...context], maxTokens })
      const script = restOf(scripts, [...context])
      const end = script.findIndex((id) => stop.includes(id))
      const rest = end === -1 ? script : script.slice(0, end + 1)
      const tokens = maxTokens === undefined ? rest : rest.slice(0, maxTokens)
      return tokenStream(async function* () {
        yield* tokens
        return { reason: tokens.length < rest.length ? ('max_output_tokens' as const) : ('stop' as const) }
      }, signal)
    },
    health: async () => {},
  }
}

/** The rest of the script in this context. */
function restOf(scripts: readonly number[][], context: readonly number[]): number[] {
  // The prompt has no assistant of its own in these tests, so every `<|start|>assistant` is of the script.
  let at = indexOf(context, START, 0)
  for (const script of scripts) {
    const begin = at + START.length
    const said = context.slice(begin, begin + script.length)
    if (said.length < script.length) return script.slice(said.length)
    at = indexOf(context, START, begin + script.length)
    if (at === -1) break
  }
  throw new Error('the script has no more turns')
}

function indexOf(tokens: readonly number[], wanted: readonly number[], from: number): number {
  for (let at = from; at <= tokens.length - wanted.length; at++) {
    if (wanted.every((id, offset) => tokens[at + offset] === id)) return at
  }
  return -1
}

/** A tool for every call of MCP servers and of python, which echoes the call. */
export const echo: Tool = {
  answers: () => true,
  isRepeatable: () => true,
  run: async (call) => ({
    output: `answer to ${'arguments' in call ? call.arguments : 'code' in call ? call.code : call.type}`,
  }),
}

export const GITHUB = { type: 'mcp', server_label: 'github', require_approval: 'never' } as const
export const SEARCH = '<|channel|>commentary to=github.search <|constrain|>json<|message|>{"q":1}<|call|>'
export const ANSWER = '<|channel|>final<|message|>Hi<|return|>'

export interface Run {
  readonly events: readonly ResponseStreamEvent[]
  readonly entries: readonly Entry[]
  /** How many events had been yielded when each entry was written. */
  readonly before: readonly number[]
  readonly response: ResponseObject
  readonly output: readonly OutputItem[]
  readonly transcript: readonly number[]
  /** The ids of the first prompt, which no entry holds; none if the model was not called. */
  readonly prompt: readonly number[]
}

export type RunOptions = Partial<RespondOptions> & { readonly turns?: readonly string[]; readonly asked?: Asked[] }

/** The options of a run. Nothing in it depends on chance or on the clock. */
export function optionsOf({ turns = [], asked, ...options }: RunOptions): RespondOptions {
  return {
    engine: modelOf(turns, asked),
    tokenTable,
    tools: [echo],
    responseId: 'resp_1',
    clock: () => 1_767_225_600,
    onError: (error) => {
      throw error
    },
    ...options,
  }
}

/** How many events come before those of each entry. */
function eventsBefore(entries: readonly Entry[], options: RespondOptions): number[] {
  const translation = translateEntries({ ...options, onDiagnostic: () => {}, onError: () => {} })
  let count = 0
  return entries.map((entry) => {
    const before = count
    count += translation.apply(entry).length
    return before
  })
}

/** Runs a response to its end. */
export async function run(request: ResponseRequest, options: RunOptions): Promise<Run> {
  const entries: Entry[] = [...(options.entries ?? [])]
  const events: ResponseStreamEvent[] = []
  const { engine, ...others } = optionsOf(options)
  let context: readonly number[] | undefined
  const stream = respond(request, {
    ...others,
    engine: {
      ...engine,
      generate(prompt, how) {
        context ??= [...prompt]
        return engine.generate(prompt, how)
      },
    },
    append: (added) => void entries.push(...structuredClone(added)),
  })
  let step = await stream.next()
  while (!step.done) {
    events.push(...step.value)
    step = await stream.next()
  }
  const last = events.at(-1) as { response: ResponseObject }
  return {
    events,
    entries,
    get before() {
      return eventsBefore(entries, optionsOf(options))
    },
    response: last?.response,
    output: last?.response.output ?? [],
    transcript: step.value,
    prompt: (context ?? []).slice(0, entries[0]?.type === 'open' ? entries[0].prompt.tokens : 0),
  }
}
