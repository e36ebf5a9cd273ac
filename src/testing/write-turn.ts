import { createMarkerLexer } from '../core/harmony/text-input.js'
import { CHANNELS, SPECIAL, VOCABULARY_SIZE } from '../core/harmony/vocabulary.js'
import { encoderOf } from '../core/tokens/encoder.js'
import type { TokenTable } from '../core/tokens/token-table.js'
import { check } from '../shared/errors.js'
import type { ScriptedFailure, ScriptedHang, ScriptedMessage, ScriptedPiece, ScriptedTurn } from './turn.js'

/** A turn as tokens, and how it ends. */
export interface WrittenTurn {
  readonly tokens: readonly number[]
  /** Undefined: the model is cut off. */
  readonly ending: ScriptedFailure | ScriptedHang | undefined
  /**
   * How many of its pieces are calls; undefined if it has nothing but ids: a recording, which plays as far as it can.
   */
  readonly calls: number | undefined
}

const ENDS = ['end', 'call', 'return'] as const

/**
 * Checks a turn, which people write by hand.
 *
 * @param what - the turn's name in messages: `turn 2`
 * @throws HarmonyResponsesError `bad_script`
 */
export function checkTurn(what: string, turn: unknown): asserts turn is ScriptedTurn {
  const pieces: readonly unknown[] = Array.isArray(turn) ? turn : [turn]
  for (const [index, piece] of pieces.entries()) {
    const name = Array.isArray(turn) ? `${what}, piece ${index + 1}` : what
    checkPiece(name, piece)
    const isEnd = typeof piece === 'object' && ('fail' in piece || 'hang' in piece)
    check(
      !isEnd || index === pieces.length - 1,
      name,
      'nothing after fail() or hang()',
      pieces[index + 1],
      'bad_script',
    )
  }
}

function checkPiece(what: string, piece: unknown): asserts piece is ScriptedPiece {
  const fields = Object(piece) as Readonly<Record<string, unknown>>
  if (typeof piece === 'string') {
    const expected = 'Harmony with <|markers|>; answer(TEXT) writes a text as an answer'
    check(piece === '' || hasMarker(piece), what, expected, piece, 'bad_script')
  } else if (typeof piece === 'number') {
    const isId = Number.isInteger(piece) && piece >= 0 && piece < VOCABULARY_SIZE
    check(isId, what, `a token id from 0 to ${VOCABULARY_SIZE - 1}`, piece, 'bad_script')
  } else if ('first' in fields) checkTurn(what, fields['of'])
  else if ('fail' in fields) {
    check(fields['fail'] instanceof Error, what, 'fail to be an error', fields['fail'], 'bad_script')
  } else if (!('hang' in fields)) checkMessage(what, piece)
}

function checkMessage(what: string, piece: unknown): void {
  const fields = Object(piece) as Readonly<Record<string, unknown>>
  const isMessage = 'channel' in fields || 'text' in fields
  const expected = 'Harmony, or a message such as answer(TEXT) or call(TO, ARGUMENTS)'
  check(isMessage, what, expected, piece, 'bad_script')
  const checkWord = (name: string, isRight: (word: unknown) => boolean, expected: string): void =>
    check(isRight(fields[name]), `${what}: ${name}`, expected, fields[name], 'bad_script')
  const isOneOf = (words: readonly string[]) => (word: unknown) => words.some((one) => one === word)
  const isOptional = (word: unknown): boolean => word === undefined || typeof word === 'string'
  checkWord('channel', isOneOf(CHANNELS), CHANNELS.join(', '))
  checkWord('text', (text) => typeof text === 'string', 'a string')
  checkWord('to', isOptional, 'a string')
  checkWord('contentType', isOptional, 'a string')
  checkWord('ends', (word) => word === undefined || isOneOf(ENDS)(word), ENDS.join(', '))
}

function hasMarker(text: string): boolean {
  const markers: number[] = []
  createMarkerLexer({ text() {}, marker: (id) => markers.push(id) }).push(text)
  return markers.length > 0
}

/** Writes a checked turn as the model would. */
export function writeTurn(turn: ScriptedTurn, tokenTable: TokenTable): WrittenTurn {
  const encode = encoderOf(tokenTable)
  const pieces = Array.isArray(turn) ? (turn as readonly ScriptedPiece[]) : [turn as ScriptedPiece]
  const tokens: number[] = []
  const isRecording = pieces.every((piece) => typeof piece === 'number')
  const isCall = (piece: ScriptedPiece): boolean => typeof piece === 'object' && 'to' in piece && piece.to !== undefined
  const calls = isRecording ? undefined : pieces.filter(isCall).length
  const write = (ids: readonly number[]): void => {
    for (const id of ids) tokens.push(id)
  }
  for (const [index, piece] of pieces.entries()) {
    const next = pieces[index + 1]
    if (typeof piece === 'number') tokens.push(piece)
    else if (typeof piece === 'string') write(encodeHarmony(piece, encode))
    else if ('first' in piece) {
      const { tokens: all, ending } = writeTurn(piece.of, tokenTable)
      write(all.slice(0, piece.first))
      if (all.length < piece.first && ending !== undefined) return { tokens, ending, calls }
    } else if ('channel' in piece) {
      if (index > 0) write([SPECIAL.start, ...encode('assistant')])
      write([...encodeMessage(piece, encode), ...terminatorOf(piece, next)])
    } else return { tokens, ending: piece, calls }
  }
  return { tokens, ending: undefined, calls }
}

type Encode = (text: string) => number[]

function encodeMessage({ channel, to, contentType, text }: ScriptedMessage, encode: Encode): number[] {
  const header = encode(to === undefined ? channel : `${channel} to=${to}`)
  return [SPECIAL.channel, ...header, ...encodeType(contentType, encode), SPECIAL.message, ...encode(text)]
}

function encodeType(contentType: string | undefined, encode: Encode): number[] {
  if (contentType === 'json') return [...encode(' '), SPECIAL.constrain, ...encode(contentType)]
  return contentType === undefined ? [] : encode(` ${contentType}`)
}

function terminatorOf({ ends = 'end' }: ScriptedMessage, next: ScriptedPiece | undefined): number[] {
  if (next === undefined) return [SPECIAL[ends]]
  const isEnd = typeof next === 'object' && ('fail' in next || 'hang' in next)
  return isEnd ? [] : [SPECIAL.end]
}

function encodeHarmony(text: string, encode: Encode): number[] {
  const tokens: number[] = []
  const lexer = createMarkerLexer({
    text(span) {
      for (const id of encode(span)) tokens.push(id)
    },
    marker: (id) => void tokens.push(id),
  })
  lexer.push(text)
  lexer.flush()
  return tokens
}
