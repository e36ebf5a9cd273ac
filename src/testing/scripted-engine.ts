import type { HarmonyMessage } from '../core/harmony/events.js'
import { parseMessages } from '../core/harmony/parse-messages.js'
import { addressesTool } from '../core/harmony/resolve-header.js'
import { STOP_TOKENS } from '../core/harmony/stop-tokens.js'
import { loadTokenTable } from '../core/tokens/load-token-table.js'
import type { HarmonyToken, StreamEnd, TokenChunk } from '../core/tokens/token-source.js'
import type { TokenTable } from '../core/tokens/token-table.js'
import { checkEnforces } from '../engines/contract/check-constraint.js'
import { checkGenerate } from '../engines/contract/check-generate.js'
import type { EngineCapabilities } from '../engines/contract/constraint.js'
import type { GenerateOptions, TokenEngine, TokenStream } from '../engines/contract/engine.js'
import { promptTooLong } from '../engines/contract/prompt-too-long.js'
import { tokenStream } from '../engines/contract/token-stream.js'
import { check, HarmonyResponsesError } from '../shared/errors.js'
import { createGrammars } from './constraints.js'
import { resolvedOptions, type ScriptedEngineOptions } from './options.js'
import { openingStart, readPrompt, type ScriptedPrompt, turnStarts } from './prompt.js'
import { restOfTurn } from './rest-of-turn.js'
import { type BodyGrammar, sampleBody } from './sampler.js'
import type { ScriptedTurn } from './turn.js'
import { checkTurn, type WrittenTurn, writeTurn } from './write-turn.js'

/** The script of a model: turns in order, or a function that answers each prompt. */
export type Script = readonly ScriptedTurn[] | ((prompt: ScriptedPrompt) => ScriptedTurn | PromiseLike<ScriptedTurn>)

/** An engine whose model follows a script, and which remembers its calls. */
export interface ScriptedEngine extends TokenEngine {
  /** The calls so far, in order. */
  readonly calls: readonly ScriptedPrompt[]
}

/**
 * Creates an engine whose model follows a script, for tests: of an agent, of a server, of an adapter. No model, no
 * network, no timer; the same prompts give the same tokens.
 *
 * Under a constraint it is a sampler: it takes the script's own tokens as long as they keep it. Where they break it
 * (with a special token that does not end a sequence, or with any token after a complete body), it continues with a
 * shortest text that completes the body, and with the token that ends the script's message (`<|return|>` if that is
 * `<|end|>` or missing). The arguments of a call end its turn: a second call after them is a `bad_script`. Texts of a
 * format in it are accepted by validators such as Zod: `https://example.com`, not `0:`. The turn then continues after that message. A constraint that it does not support is an `invalid_prompt`.
 *
 * It keeps the contract of {@link TokenEngine}. A turn that was cut short, by a stop id or by `maxTokens`, continues
 * when the next prompt contains its beginning: the script is not asked again. If the host began the message itself, for
 * example to force a call of a tool, the turn continues from there if it begins the same way. Each token is certain:
 * log-probabilities are 0, and there are no alternatives. `cachedTokens` is the length of the prefix that the prompt
 * shares with the previous call's.
 *
 * @throws HarmonyResponsesError `bad_option`, or `bad_script` for a turn of a list. From `next()`: `bad_script` if the
 * script has no turn left, its function returned none, or a call cannot play; what the function throws
 *
 * @example
 * ```ts
 * import { answer, call, scriptedEngine } from 'harmony-responses/testing'
 *
 * const engine = scriptedEngine([call('functions.get_weather', { city: 'Paris' }), answer('22 degrees.')])
 * const echo = scriptedEngine(({ messages }) => answer(`You said ${messages.at(-1)?.content}`))
 * ```
 */
export function scriptedEngine(script: Script, options: ScriptedEngineOptions = {}): ScriptedEngine {
  const isScript = typeof script === 'function' || Array.isArray(script)
  check(isScript, 'scriptedEngine', 'a list of turns, or a function', script)
  // Copied, because the script plays later and the caller may change its list.
  const turnAfter = typeof script === 'function' ? script : playInOrder([...script])
  const { tokenTable, chunkSizes, contextLength, constraints, remembered, healthError } = resolvedOptions(options)
  const grammars = createGrammars(constraints)
  const calls: ScriptedPrompt[] = []
  let callCount = 0
  /** By their numbers, in order. */
  const begun = new Map<number, BegunTurn>()
  let turnCount = 0
  /** The engine's cache after the last call: its prompt and its output. */
  let cache: Uint32Array = new Uint32Array()

  function remember(scriptPrompt: ScriptedPrompt): void {
    calls.push(scriptPrompt)
    if (calls.length > remembered) calls.shift()
  }

  /** Returns the turn that the prompt continues, or the next one of the script, with its rest. */
  async function turnFor(
    prompt: Uint32Array,
    given: GenerateOptions,
    signal: AbortSignal,
    table: TokenTable,
  ): Promise<{ turn: BegunTurn; rest: readonly number[] }> {
    const seen = { ...readPrompt(prompt, table), tokens: prompt, call: ++callCount, options: given, signal }
    for (const turn of [...begun.values()].reverse()) {
      const rest = turn.isOver ? undefined : unplayed(turn, prompt, table)
      if (rest === undefined) continue
      remember({ ...seen, turn: turn.number })
      return { turn, rest }
    }
    const number = ++turnCount
    const scriptPrompt = { ...seen, turn: number }
    const turn = {
      number,
      base: prompt.slice(0, openingStart(prompt)),
      tokens: [],
      ending: undefined,
      calls: 0,
      sampled: [],
      isOver: true,
    }
    remember(scriptPrompt)
    begun.set(number, turn)
    if (begun.size > remembered) begun.delete(begun.keys().next().value as number)
    const scripted = await turnAfter(scriptPrompt)
    checkTurn(`turn ${number}`, scripted)
    const written = writeTurn(scripted, table)
    const { base, rest } = placeOf(written.tokens, prompt, table)
    const played = { ...turn, ...written, base, isOver: false }
    // It keeps its place in the order, unless enough others began meanwhile for it to be forgotten.
    if (begun.has(number)) begun.set(number, played)
    return { turn: played, rest }
  }

  async function* play(
    prompt: Uint32Array,
    given: GenerateOptions,
    grammar: BodyGrammar | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<TokenChunk, StreamEnd | undefined> {
    const table = tokenTable ?? (await loadTokenTable())
    if (prompt.length >= contextLength) throw promptTooLong(prompt.length, contextLength)
    const { turn, rest: script } = await turnFor(prompt, given, signal, table)
    const usage = { inputTokens: prompt.length, cachedTokens: commonLength(cache, prompt.subarray(0, -1)) }
    given.onUsage?.(usage)
    const body = grammar === undefined ? undefined : sampleBody(script, grammar, table)
    const { calls: written } = turn
    const isChecked = body !== undefined && written !== undefined && (body.isOwn || written > 1)
    if (isChecked) checkPlayable(turn.number, prompt, body.after, table)
    if (body !== undefined) turn.sampled.unshift({ base: prompt, tokens: [...body.tokens, ...body.after] })
    const rest = body?.tokens ?? script
    const { stop = STOP_TOKENS, maxTokens = Number.POSITIVE_INFINITY, logprobs } = given
    // A body ends with the engine's own end of sequence, regardless of the call's stop ids.
    const stopAt = body === undefined ? rest.findIndex((id) => stop.includes(id)) : body.isOver ? rest.length - 1 : -1
    const until = stopAt === -1 ? rest.length : stopAt + 1
    const room = Math.min(maxTokens, contextLength - prompt.length)
    const sampled = rest.slice(0, Math.min(until, room))
    cache = Uint32Array.from([...prompt, ...sampled])
    yield* chunksOf(sampled, chunkSizes, logprobs)
    if (stopAt !== -1 && until <= room) return { reason: 'stop', usage }
    if (rest.length >= room) return { reason: 'max_output_tokens', usage }
    if (turn.ending !== undefined) {
      turn.isOver = true
      if ('fail' in turn.ending) throw turn.ending.fail
      await aborted(signal)
    }
    return { reason: 'max_output_tokens', usage }
  }

  const capabilities: EngineCapabilities = {
    ...(Number.isFinite(contextLength) ? { contextLength } : {}),
    constraints,
    hasConstrainedLogprobs: true,
    fit: grammars.fit,
  }

  return {
    calls,
    generate(promptTokens, given = {}): TokenStream {
      checkGenerate(promptTokens, given)
      const prompt = Uint32Array.from(promptTokens)
      checkEnforces('the scripted engine', capabilities, given.constraint)
      const grammar = given.constraint && grammars.grammarOf(given.constraint)
      const copy = { ...given, ...(given.stop === undefined ? {} : { stop: [...given.stop] }) }
      return tokenStream((signal) => play(prompt, copy, grammar, signal), given.signal)
    },
    async health({ signal } = {}) {
      signal?.throwIfAborted()
      if (healthError !== undefined) throw healthError
    },
    async capabilities({ signal } = {}) {
      signal?.throwIfAborted()
      return capabilities
    },
  }
}

/**
 * Refuses a turn with another call after one whose arguments are constrained: those end the turn, so that the host would
 * never ask for the other.
 *
 * @param after - the turn after the constrained body
 * @throws HarmonyResponsesError `bad_script`
 */
function checkPlayable(turn: number, prompt: Uint32Array, after: readonly number[], tokenTable: TokenTable): void {
  const [open] = parseMessages(readPrompt(prompt, tokenTable).opening).messages
  if (open === undefined || !isCall(open)) return
  const other = parseMessages(after, { tokenTable, role: null }).messages.find(isCall)
  if (other === undefined) return
  const calls = `${open.recipient} is held to its parameters, so that its call ends the turn`
  const advice = `'strict: false' in the request, 'constraints: []' of the engine, or a turn of its own`
  const message = `scriptedEngine: turn ${turn}: ${calls}; expected ${advice} for a second call, got ${other.recipient}`
  throw new HarmonyResponsesError('bad_script', message)
}

function isCall(message: HarmonyMessage): boolean {
  return message.role === 'assistant' && addressesTool(message)
}

/** Returns where a turn began in a prompt, and its rest: all of it if the prompt contains no beginning of it. */
function placeOf(
  turn: readonly number[],
  prompt: Uint32Array,
  table: TokenTable,
): { readonly base: Uint32Array; readonly rest: readonly number[] } {
  const starts = turnStarts(prompt, table)
  for (const start of starts) {
    const rest = restOfTurn(turn, prompt.subarray(start), table)
    // A prompt that ends with the whole turn asks for another one.
    const isAll = rest?.length === 0 && start !== starts.at(-1)
    if (rest !== undefined && !isAll) return { base: prompt.slice(0, start), rest }
  }
  return { base: prompt, rest: turn }
}

/** Returns a script that plays its turns in order, whatever the prompt. */
function playInOrder(turns: readonly ScriptedTurn[]): (prompt: ScriptedPrompt) => ScriptedTurn {
  for (const [index, turn] of turns.entries()) checkTurn(`turn ${index + 1}`, turn)
  return ({ turn, messages }) => {
    const scripted = turns[turn - 1]
    if (scripted !== undefined) return scripted
    const has = `the script has ${turns.length} ${turns.length === 1 ? 'turn' : 'turns'}`
    const message = `scriptedEngine: ${has}, and turn ${turn} was asked for, after ${inWords(messages.at(-1))}`
    throw new HarmonyResponsesError('bad_script', message)
  }
}

function inWords(message: HarmonyMessage | undefined): string {
  if (message === undefined) return 'no message'
  const { role, name, content } = message
  const excerpt = content.length <= 60 ? content : `${content.slice(0, 60)}...`
  return `the message of ${name ?? role} ${JSON.stringify(excerpt)}`
}

function* chunksOf(
  tokens: readonly number[],
  sizes: readonly number[],
  logprobs: number | undefined,
): Generator<TokenChunk> {
  for (let from = 0, count = 0; from < tokens.length; count++) {
    const size = sizes[count % sizes.length] as number
    const chunk = tokens.slice(from, from + size).map((id) => scored(id, logprobs))
    yield size === 1 ? (chunk[0] as HarmonyToken) : chunk
    from += size
  }
}

/** The model is certain: it would sample nothing else. */
function scored(id: number, logprobs: number | undefined): HarmonyToken {
  if (logprobs === undefined) return id
  return { id, logprob: 0, topLogprobs: logprobs === 0 ? [] : [{ id, logprob: 0 }] }
}

/** Resolves when the call is closed. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** A turn that was requested. */
interface BegunTurn extends WrittenTurn {
  readonly number: number
  /** The prompt up to where the turn begins. */
  readonly base: Uint32Array
  /** Its other samplings: under a constraint, a turn continues differently from some prompt on. The latest first. */
  readonly sampled: Pick<BegunTurn, 'base' | 'tokens'>[]
  isOver: boolean
}

/** Returns the rest of an interrupted turn, if this prompt continues it. */
function unplayed(turn: BegunTurn, prompt: Uint32Array, tokenTable: TokenTable): readonly number[] | undefined {
  for (const { base, tokens } of [...turn.sampled, turn]) {
    // The same prompt again requests another turn.
    if (prompt.length <= base.length || commonLength(base, prompt) < base.length) continue
    const rest = restOfTurn(tokens, prompt.subarray(base.length), tokenTable)
    if (rest !== undefined && (rest.length > 0 || turn.ending !== undefined)) return rest
  }
  return undefined
}

/** Returns the length of the common beginning, in tokens. */
function commonLength(one: Uint32Array, other: Uint32Array): number {
  const max = Math.min(one.length, other.length)
  for (let at = 0; at < max; at++) if (one[at] !== other[at]) return at
  return max
}
