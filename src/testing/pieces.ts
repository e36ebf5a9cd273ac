import { BROWSER, CONTAINER, nameIn, PYTHON } from '../core/harmony/namespaces.js'
import { EngineError } from '../engines/contract/engine-error.js'
import { check } from '../shared/errors.js'
import type { ScriptedBeginning, ScriptedFailure, ScriptedHang, ScriptedMessage, ScriptedTurn } from './turn.js'

/** Reasoning: `<|channel|>analysis<|message|>TEXT<|end|>`. */
export function think(text: string): ScriptedMessage {
  return { channel: 'analysis', text: checkText('think', text) }
}

/** Creates a preamble, which the user reads before tool calls: `<|channel|>commentary<|message|>TEXT<|end|>`. */
export function preamble(text: string): ScriptedMessage {
  return { channel: 'commentary', text: checkText('preamble', text) }
}

/** The answer, which ends the turn: `<|channel|>final<|message|>TEXT<|return|>`. */
export function answer(text: string): ScriptedMessage {
  return { channel: 'final', text: checkText('answer', text), ends: 'return' }
}

/**
 * A call, in the form that gpt-oss writes for this tool: JSON in the commentary channel for functions and MCP tools,
 * code in the analysis channel for its own (`python`, `browser`, `container`).
 *
 *     call('functions.get_weather', { city: 'Paris' })
 *     call('python', 'print(6 * 7)')
 *
 * @param to - the recipient, with its namespace
 * @param input - a string is written as it is, also if it is invalid JSON; anything else as JSON
 * @throws HarmonyResponsesError `bad_option`
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
 */
export function fail(error: Error = new EngineError('server_error', 'The script fails here.')): ScriptedFailure {
  check(error instanceof Error, 'fail', 'an error', error)
  return { fail: error }
}

/** Nothing more comes: the call ends when it is aborted or closed. */
export function hang(): ScriptedHang {
  return { hang: true }
}

/**
 * The first tokens of a turn, for an engine that fails or hangs after them: `[firstTokens(5, answer('...')), fail()]`.
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function firstTokens(count: number, turn: ScriptedTurn): ScriptedBeginning {
  check(Number.isSafeInteger(count) && count >= 0, 'firstTokens', 'a whole number of tokens', count)
  return { first: count, of: turn }
}

function checkText(what: string, text: unknown): string {
  check(typeof text === 'string', what, 'a text', text)
  return text
}
