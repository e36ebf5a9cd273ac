import { FIRST_SPECIAL, LONGEST_MARKER, markerText } from '../../harmony/vocabulary.js'
import type { HarmonyToken } from '../../tokens/token-source.js'
import type { TokenTable } from '../../tokens/token-table.js'
import { BROKEN, type LostTokens } from './lost-tokens.js'
import type { TokenIdRecovery } from './recover-token-ids.js'

/** The vocabulary data that all calls share. */
export interface Vocabulary {
  readonly table: TokenTable
  readonly recovery: TokenIdRecovery
  readonly lost: LostTokens
}

/** In UTF-16 units: more than a token, and the stop word that may begin in it. */
const MOST_OWED = 256

/** Tokens that came without their text, while others in front of them had not come. */
interface Held {
  readonly tokens: HarmonyToken[]
  readonly text: string
  /** How many tokens had not come, of all before these. */
  readonly missing: number
}

/**
 * Puts together what llama-server sends of one request. It sends
 *
 * - no id of a token after which the text ends inside a character: their text comes with the next token, as U+FFFD where
 *   the character was never completed;
 * - ids without their text while a stop word may have begun (with the `<` of `<|message|>`): the text comes with a later
 *   id.
 */
export class SentTokens {
  readonly #vocabulary: Vocabulary
  /** Tokens so far, including those that are held, and those that others stand in for. */
  #given = 0
  /** The text that is still to come of tokens that were given. */
  #owed = ''
  #held: Held[] = []
  /** Whether the server counts tokens that it has not sent yet, as one with speculative decoding may. */
  #countsAhead = false
  #isMiscounted = false

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
  }

  /** Whether the ids that stand in for lost ones are not as many. */
  get isMiscounted(): boolean {
    return this.#isMiscounted
  }

  /**
   * Takes what an event has.
   *
   * @param predicted - how many tokens the server counts; undefined if it does not say
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
    this.#owed = this.#owed.length > MOST_OWED ? '' : this.#owed + own
    return [...this.#release(), token]
  }

  /**
   * What is left at the end, where the server counts so many more tokens that it never sent. Of these its last event has
   * the count alone: `tokens` and `content` of a stream's end are empty, and scores come with a token that is sent. So a
   * blank in front of half a character, in the same token, is lost, and how many characters several halves are is guessed.
   */
  end(missing: number): readonly HarmonyToken[] {
    const held = this.#release()
    if (!(missing > 0)) return held
    // A character has at most three tokens that do not complete it.
    return [...this.#standIns(BROKEN.repeat(Math.ceil(missing / 3)), missing), ...held]
  }

  /** How many tokens the server counts and has not sent. */
  missing(predicted: number): number {
    return predicted - this.#given
  }

  get countsAhead(): boolean {
    return this.#countsAhead
  }

  /** Holds a token back whose text may show that there are others in front of it. */
  #hold(token: HarmonyToken, own: string, missing: number): boolean {
    const last = this.#held.at(-1)
    const length = this.#held.reduce((sum, { text }) => sum + text.length, 0)
    // More can no longer be the beginning of a stop word: the server sends no text at all.
    if (length > LONGEST_MARKER) return false
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
    // A stop word that is complete is cut off, with what follows it.
    let said = run.text
    while (!rest.endsWith(said)) said = said.slice(0, -1)
    const front = rest.slice(0, rest.length - said.length)
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
    // How many of its bytes complete a character that began before it.
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

  /** Finds the text of held tokens in that of an event, and what is lost in front of each. */
  #resolve(
    groups: readonly Held[],
    content: string,
  ): { readonly tokens: readonly HarmonyToken[]; readonly rest: string; readonly counted: number } {
    let rest = content.startsWith(this.#owed) ? content.slice(this.#owed.length) : content
    const tokens: HarmonyToken[] = []
    let counted = 0
    for (const { text, tokens: held, missing } of groups) {
      const at = rest.indexOf(BROKEN + text) + 1
      tokens.push(...this.#standIns(rest.slice(0, at), missing - counted), ...held)
      rest = rest.startsWith(text, at) ? rest.slice(at + text.length) : rest.slice(at)
      counted = missing
    }
    this.#held = []
    this.#owed = ''
    return { tokens, rest, counted }
  }

  /** Ids in place of those of a text. */
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
