import { FIRST_SPECIAL, MAX_MARKER_LENGTH, markerText } from '../../../core/harmony/vocabulary.js'
import type { HarmonyToken } from '../../../core/tokens/token-source.js'
import type { TokenTable } from '../../../core/tokens/token-table.js'
import { BROKEN, type LostTokens } from './lost-tokens.js'
import type { TokenIdRecovery } from './recover-token-ids.js'

/** The vocabulary data that all calls share. */
export interface Vocabulary {
  readonly table: TokenTable
  readonly recovery: TokenIdRecovery
  readonly lost: LostTokens
}

/** The limit in UTF-16 units: longer than a token with the beginning of a stop word. */
const MAX_OWED = 256

/** Tokens that arrived without their text, while earlier ones had not arrived. */
interface Held {
  readonly tokens: HarmonyToken[]
  readonly text: string
  /** The number of missing tokens before these. */
  readonly missing: number
}

/**
 * Reassembles the tokens that llama-server sends for one request. It sends
 *
 * - no id of a token after which the text ends inside a character: their text comes with the next token, as U+FFFD
 *   where the character was never completed;
 * - ids without their text while a stop word may have begun (with the `<` of `<|message|>`): the text comes with a
 *   later id.
 */
export class SentTokens {
  readonly #vocabulary: Vocabulary
  /** The number of tokens so far, including held ones and substitutes. */
  #given = 0
  /** The text that is still to arrive for tokens that were returned. */
  #owed = ''
  #held: Held[] = []
  /** Whether the server counts tokens that it has not sent yet, as one with speculative decoding may. */
  #countsAhead = false
  #isMiscounted = false

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
  }

  /** Whether the number of substitutes differs from that of the lost tokens. */
  get isMiscounted(): boolean {
    return this.#isMiscounted
  }

  /**
   * Takes an event.
   *
   * @param predicted - the server's count of tokens; undefined if it reports none
   * @returns its tokens, preceded by those that the server withheld; none if they are held
   */
  take(tokens: readonly HarmonyToken[], content: string, predicted: number | undefined): readonly HarmonyToken[] {
    const [token] = tokens
    if (token === undefined) return []
    const missing = (predicted ?? Number.NaN) - this.#given - tokens.length
    this.#given += tokens.length
    // An event with several tokens is complete: none of them is hidden in its text.
    if (tokens.length > 1) return [...this.#release(), ...tokens]
    const id = idOf(token)
    // The server spells special tokens such as `<|channel|>`, but stop tokens only when run with --special.
    const own = id < FIRST_SPECIAL ? this.#vocabulary.table.text(id) : markerText(id)
    if (own === undefined) return this.#takeCut(token, content, missing)
    if (content !== '') return this.#takeText(token, own, content, missing)
    if (missing > 0 && !this.#countsAhead && this.#hold(token, own, missing)) return []
    this.#owed = this.#owed.length > MAX_OWED ? '' : this.#owed + own
    return [...this.#release(), token]
  }

  /**
   * Returns substitutes for tokens that the server counted but never sent. For these its last event has only the count:
   * `tokens` and `content` are empty at a stream's end, and scores come only with sent tokens. So a blank before half a
   * character, in the same token, is lost, and the number of characters in several halves is guessed.
   */
  end(missing: number): readonly HarmonyToken[] {
    const held = this.#release()
    if (!(missing > 0)) return held
    // A character has at most three tokens that do not complete it.
    return [...this.#standIns(BROKEN.repeat(Math.ceil(missing / 3)), missing), ...held]
  }

  /** Returns how many tokens the server counts and has not sent. */
  missing(predicted: number): number {
    return predicted - this.#given
  }

  get countsAhead(): boolean {
    return this.#countsAhead
  }

  /** Holds a token back whose text may reveal earlier ones. */
  #hold(token: HarmonyToken, own: string, missing: number): boolean {
    const last = this.#held.at(-1)
    const length = this.#held.reduce((sum, { text }) => sum + text.length, 0)
    // A longer text cannot be the beginning of a stop word: the server sends no text for any token.
    if (length > MAX_MARKER_LENGTH) return false
    if (last?.missing === missing) this.#held.splice(-1, 1, joined(last, token, own))
    else this.#held.push({ tokens: [token], text: own, missing })
    return true
  }

  #takeText(token: HarmonyToken, own: string, content: string, missing: number): readonly HarmonyToken[] {
    const expected = this.#owed + own
    if (this.#held.length === 0 && (expected.startsWith(content) || content === own)) {
      this.#owed = expected.startsWith(content) ? expected.slice(content.length) : ''
      this.#countsAhead ||= missing > 0
      return [token]
    }
    const last = this.#held.at(-1)
    const hasRun = last !== undefined && !(missing > last.missing)
    const run = hasRun ? joined(last, token, own) : { tokens: [token], text: own, missing }
    const groups = this.#held.slice(0, hasRun ? -1 : undefined)
    const { tokens, rest, counted } = this.#resolve(groups, content)
    // A complete stop word is cut off, with the text after it.
    let runText = run.text
    while (!rest.endsWith(runText)) runText = runText.slice(0, -1)
    const front = rest.slice(0, rest.length - runText.length)
    this.#countsAhead ||= front === '' && missing > counted
    return [...tokens, ...this.#standIns(front, missing - counted), ...run.tokens]
  }

  /** Takes a token that is not valid UTF-8 on its own. */
  #takeCut(token: HarmonyToken, content: string, missing: number): readonly HarmonyToken[] {
    const { table, recovery, lost } = this.#vocabulary
    const { tokens, rest, counted } = this.#resolve(this.#held, content)
    const left = missing - counted
    const bytes = table.bytes(idOf(token))
    if (left > 0 && !this.#countsAhead && rest.includes(BROKEN)) {
      const ids = lost.idsBefore(idOf(token), rest, left)
      if (ids !== undefined) {
        this.#given += left
        this.#isMiscounted ||= ids.length !== left
        return [...tokens, ...ids, token]
      }
    }
    // The number of its bytes that complete a character begun before it.
    for (let within = 3; within >= 0; within--) {
      const behind = textOf(bytes.subarray(within))
      if (!rest.endsWith(behind)) continue
      const front = rest.slice(0, rest.length - behind.length)
      if (within === 0) return [...tokens, ...this.#standIns(front, left), token]
      const at = front.lastIndexOf(BROKEN) + 1
      const character = front.slice(at)
      const count = at === 0 && left > 0 && !this.#countsAhead ? left : 0
      const found = recovery.find(character, bytes.subarray(0, within), count)
      if (found === undefined) continue
      this.#given += found.length
      return [...tokens, ...this.#standIns(front.slice(0, at), left - found.length), ...found, token]
    }
    return [...tokens, token]
  }

  /** Finds the text of held tokens in that of an event, and the losses before each. */
  #resolve(
    groups: readonly Held[],
    content: string,
  ): { readonly tokens: readonly HarmonyToken[]; readonly rest: string; readonly counted: number } {
    let rest = content.startsWith(this.#owed) ? content.slice(this.#owed.length) : content
    const tokens: HarmonyToken[] = []
    let counted = 0
    for (const { text, tokens: held, missing } of groups) {
      const at = rest.indexOf(BROKEN + text) + 1
      for (const token of [...this.#standIns(rest.slice(0, at), missing - counted), ...held]) tokens.push(token)
      rest = rest.startsWith(text, at) ? rest.slice(at + text.length) : rest.slice(at)
      counted = missing
    }
    this.#held = []
    this.#owed = ''
    return { tokens, rest, counted }
  }

  /** Returns substitutes for the ids of a text. */
  #standIns(text: string, missing: number): readonly number[] {
    if (text === '') return []
    const count = missing > 0 && !this.#countsAhead ? missing : undefined
    const ids = this.#vocabulary.lost.idsOf(text, count)
    this.#given += Math.max(0, missing || 0)
    this.#isMiscounted ||= ids.length !== count
    return ids
  }

  #release(): readonly HarmonyToken[] {
    const held = this.#held
    this.#held = []
    return held.flatMap(({ tokens }) => tokens)
  }
}

function joined({ tokens, text, missing }: Held, token: HarmonyToken, own: string): Held {
  return { tokens: [...tokens, token], text: text + own, missing }
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

function idOf(token: HarmonyToken): number {
  return typeof token === 'number' ? token : token.id
}
