import { BROWSER, CONTAINER, nameIn, PYTHON } from '../core/harmony/namespaces.js'
import { EngineError } from '../engines/contract/engine-error.js'
import { check } from '../shared/errors.js'
import type { ScriptedBeginning, ScriptedFailure, ScriptedHang, ScriptedMessage, ScriptedTurn } from './turn.js'

/**
 * Reasoning: `<|channel|>analysis<|message|>TEXT<|end|>`.
 *
 * @example
 * ```ts
 * import { answer, scriptedEngine, think } from 'harmony-responses/testing'
 *
 * const engine = scriptedEngine([[think('The user says hi.'), answer('Hi!')]])
 * ```
 */
export function think(text: string): ScriptedMessage {
  return { channel: 'analysis', text: checkText('think', text) }
}

/**
 * Creates a preamble, which the user reads before tool calls: `<|channel|>commentary<|message|>TEXT<|end|>`.
 *
 * @example
 * ```ts
 * import { call, preamble, scriptedEngine } from 'harmony-responses/testing'
 *
 * const engine = scriptedEngine([[preamble('I look it up.'), call('functions.get_weather', { city: 'Paris' })]])
 * ```
 */
export function preamble(text: string): ScriptedMessage {
  return { channel: 'commentary', text: checkText('preamble', text) }
}

/**
 * The answer, which ends the turn: `<|channel|>final<|message|>TEXT<|return|>`.
 *
 * @example
 * ```ts
 * import { answer, scriptedEngine } from 'harmony-responses/testing'
 *
 * const engine = scriptedEngine([answer('It is 22 degrees in Paris.')])
 * ```
 */
export function answer(text: string): ScriptedMessage {
  return { channel: 'final', text: checkText('answer', text), ends: 'return' }
}

/**
 * A call, in the form that gpt-oss writes for this tool: JSON in the commentary channel for functions and MCP tools,
 * code in the analysis channel for its own (`python`, `browser`, `container`).
 *
 * @param to - the recipient, with its namespace
 * @param input - a string is written as it is, also if it is invalid JSON; anything else as JSON
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { answer, call, scriptedEngine } from 'harmony-responses/testing'
 *
 * const engine = scriptedEngine([
 *   call('functions.get_weather', { city: 'Paris' }),
 *   call('python', 'print(6 * 7)'),
 *   answer('22 degrees, and 42.'),
 * ])
 * ```
 */
export function call(to: string, input: unknown = {}): ScriptedMessage {
  check(typeof to === 'string' && to !== '', 'call', 'a recipient', to)
  const text = typeof input === 'string' ? input : JSON.stringify(input)
  check(typeof text === 'string', `call(${JSON.stringify(to)})`, 'arguments that are a string or JSON', input)
  const isBuiltin = to === PYTHON || [BROWSER, CONTAINER].some((namespace) => nameIn(namespace, to) !== undefined)
  return {
    to,
    text,
    ends: 'call',
    ...(isBuiltin ? { channel: 'analysis', contentType: 'code' } : { channel: 'commentary', contentType: 'json' }),
  }
}

/**
 * The engine fails here: `[think('Let me see'), fail()]` fails in the middle of the reasoning.
 *
 * @param error - default: an `EngineError` `server_error`
 *
 * @example
 * ```ts
 * import { answer, fail, scriptedEngine, think } from 'harmony-responses/testing'
 *
 * const engine = scriptedEngine([[think('Let me see'), fail()], answer('Hi!')])
 * ```
 */
export function fail(error: Error = new EngineError('server_error', 'The script fails here.')): ScriptedFailure {
  check(error instanceof Error, 'fail', 'an error', error)
  return { fail: error }
}

/**
 * Nothing more comes: the call ends when it is aborted or closed.
 *
 * @example
 * ```ts
 * import { hang, scriptedEngine, think } from 'harmony-responses/testing'
 *
 * const engine = scriptedEngine([[think('Let me see'), hang()]])
 * ```
 */
export function hang(): ScriptedHang {
  return { hang: true }
}

/**
 * The first tokens of a turn, for an engine that fails or hangs after them: `[firstTokens(5, answer('...')), fail()]`.
 *
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { answer, fail, firstTokens, scriptedEngine } from 'harmony-responses/testing'
 *
 * const engine = scriptedEngine([[firstTokens(5, answer('It is 22 degrees in Paris.')), fail()]])
 * ```
 */
export function firstTokens(count: number, turn: ScriptedTurn): ScriptedBeginning {
  check(Number.isSafeInteger(count) && count >= 0, 'firstTokens', 'a whole number of tokens', count)
  return { first: count, of: turn }
}

function checkText(what: string, text: unknown): string {
  check(typeof text === 'string', what, 'a text', text)
  return text
}
