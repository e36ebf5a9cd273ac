import { FIRST_SPECIAL, markerText } from '../core/harmony/vocabulary.js'
import { createDetokenizer } from '../core/tokens/detokenizer.js'
import type { TokenTable } from '../core/tokens/token-table.js'
import type { MessageSpan, Prompt } from '../endpoint/prompt/index.js'
import { counted } from './counted.js'
import { clip, createPaint, type Paint, plain, type Style } from './terminal-text.js'
import type { Screen } from './timeline-layout.js'

/** The column in which the texts of a prompt begin, below the words of their heads. */
const MARGIN = 6

/**
 * Formats a prompt for people: each message's author, recipient and channel, its item and its tokens, then its text
 * with its markers; finally the beginning of the model's turn, and the counts.
 *
 * @returns pieces of text, each of whole lines
 */
export function* showPrompt(prompt: Prompt, tokenTable: TokenTable, screen: Screen): Generator<string> {
  const { tokens, messages, omitted, untaught } = prompt
  const paint = createPaint(screen.hasColors)
  const show = (index: string, words: string, span: Omit<MessageSpan, 'role'>, style: Style): string => {
    const ids = tokens.subarray(span.start, span.end)
    const count = `tokens ${span.start}-${span.end - 1} (${ids.length})`
    const place = span.item === undefined ? count : `input[${span.item}] · ${count}`
    const room = Math.max(screen.columns - MARGIN - place.length - 2, 20)
    const head = `${paint(index, 'dim')}  ${paint(clip(withoutMarkers(plain(words)), room), style)}  ${paint(place, 'dim')}`
    const text = shownText(ids, tokenTable, paint).replace(/\n(?!\n)/g, `\n${' '.repeat(MARGIN)}`)
    return `${head}\n${' '.repeat(MARGIN)}${text}\n\n`
  }
  for (const [index, span] of messages.entries()) {
    const author = authorOf(tokens.subarray(span.start, span.end), tokenTable)
    const words = [author, span.recipient && `to=${span.recipient}`, span.channel].filter((word) => word !== undefined)
    yield show(String(index).padStart(MARGIN - 2), words.join(' '), span, span.role === 'tool' ? 'yellow' : 'cyan')
  }
  const start = messages.at(-1)?.end ?? 0
  yield show(' '.repeat(MARGIN - 2), "the beginning of the model's turn", { start, end: tokens.length }, 'cyan')
  for (const { serverLabel, name } of omitted) {
    const what = `! not taught: the tool ${name} of ${serverLabel}, which no recipient can name`
    yield `${paint(withoutMarkers(plain(what)), 'yellow')}\n`
  }
  for (const type of untaught) {
    yield `${paint(withoutMarkers(plain(`! not taught: ${type}, which nothing runs`)), 'yellow')}\n`
  }
  yield `${paint(`${counted(tokens.length, 'token')}, ${counted(messages.length, 'message')}`, 'bold')}\n`
}

/** Returns the text of a prompt, with control tokens as literal markers. */
export function promptText(tokens: Uint32Array, tokenTable: TokenTable): string {
  return readRuns(tokens, tokenTable, (text) => text, markerText)
}

/**
 * Does the same for a terminal, where everything that looks like a marker is one. Only tabs and line breaks stay
 * unescaped.
 */
function shownText(tokens: Uint32Array, tokenTable: TokenTable, paint: Paint): string {
  return readRuns(
    tokens,
    tokenTable,
    (text) => withoutMarkers(text.replace(/[^\n\t]+/g, plain)),
    (id) => paint(markerText(id), 'magenta'),
  )
}

/** Escapes text so that nothing in it spells a marker. */
function withoutMarkers(text: string): string {
  return text.replace(/<\|(?=\w+\|>)/g, '<\\|')
}

/** Returns a message's first word, which names its author. */
function authorOf(tokens: Uint32Array, tokenTable: TokenTable): string {
  const end = tokens.findIndex((id, index) => index > 0 && id >= FIRST_SPECIAL)
  const [author = ''] = promptText(tokens.subarray(1, end), tokenTable).trim().split(/\s/, 1)
  return author
}

/** Maps and joins each run of ordinary tokens and each control token. */
function readRuns(
  tokens: Uint32Array,
  tokenTable: TokenTable,
  ofText: (text: string) => string,
  ofMarker: (id: number) => string,
): string {
  let output = ''
  let text = ''
  const detokenizer = createDetokenizer(tokenTable)
  const endRun = (): void => {
    output += ofText(text + detokenizer.flush())
    text = ''
  }
  for (const id of tokens) {
    if (id < FIRST_SPECIAL) text += detokenizer.push(id)
    else {
      endRun()
      output += ofMarker(id)
    }
  }
  endRun()
  return output
}
