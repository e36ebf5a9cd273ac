import { createHash } from 'node:crypto'
import type { FileSearchFilter, FileSearchResult } from '../../../core/responses/items.js'
import { type Attributes, frontMatter, selects } from './attributes.js'
import type { FolderFile } from './folder-files.js'
import { passagesOf } from './passages.js'

/**
 * The constants of BM25: how soon further occurrences of a word stop counting, and how much a long passage is
 * penalized.
 */
const SATURATION = 1.2
const LENGTH_WEIGHT = 0.75

/** The maximum number of distinct words of a query, and the maximum length of a word. */
const MAX_WORDS = 64
const MAX_WORD_LENGTH = 64

/** Words, and single characters of scripts that write without spaces. */
const WORD = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]|[\p{L}\p{N}\p{M}]+/gu

function* wordsOf(text: string): Generator<string> {
  for (const [word] of text.normalize('NFKC').toLowerCase().matchAll(WORD)) {
    // The English plural is found by its singular.
    yield word.slice(0, MAX_WORD_LENGTH).replace(/(?<=[a-z]{2}[^s\W])s$/, '')
  }
}

interface Passage {
  readonly file: Pick<FileSearchResult, 'file_id' | 'filename'> & { readonly attributes: Attributes }
  readonly text: string
  /** Its number of words. */
  readonly length: number
}

/** Waits, if a pause is due after work of this cost. */
type Pace = (cost: number) => Promise<void> | undefined

/** An index of a folder's files by their words, in memory. */
export class FolderIndex {
  readonly #storeId: string
  readonly #passages: Passage[] = []
  /** By word, the passages that have it, each followed by how often. */
  readonly #places = new Map<string, number[]>()
  #words = 0

  /** @param storeId - the vector store that the folder stands for */
  constructor(storeId: string) {
    this.#storeId = storeId
  }

  get size(): number {
    return this.#passages.length
  }

  async add({ name, text }: FolderFile, pace: Pace): Promise<void> {
    const { attributes, body } = /\.txt$/i.test(name) ? { attributes: {}, body: text } : frontMatter(text)
    const digest = createHash('sha256').update(`${this.#storeId}\n${name}`).digest('hex')
    const file = { file_id: `file-${digest.slice(0, 24)}`, filename: name, attributes }
    for (const passage of passagesOf(body)) {
      const counts = new Map<string, number>()
      let length = 0
      for (const word of wordsOf(`${name}\n${passage}`)) {
        counts.set(word, (counts.get(word) ?? 0) + 1)
        length += 1
      }
      const at = this.#passages.push({ file, text: passage, length }) - 1
      this.#words += length
      for (const [word, count] of counts) {
        const places = this.#places.get(word)
        if (places === undefined) this.#places.set(word, [at, count])
        else places.push(at, count)
      }
      await pace(passage.length)
    }
  }

  /** Returns the passages that fit the queries best, the best first. Each has the score of the query that it fits best. */
  async search(
    queries: readonly string[],
    filters: FileSearchFilter | undefined,
    max: number,
    pace: Pace,
  ): Promise<FileSearchResult[]> {
    const scores = new Map<number, number>()
    for (const query of queries) {
      for (const [at, score] of await this.#scores(query, pace)) scores.set(at, Math.max(score, scores.get(at) ?? 0))
    }
    /** The best so far, in order. A whole sort would take long at once. */
    const best: Scored[] = []
    for (const each of scores) {
      const pause = pace(COST_OF_PASSAGE)
      if (pause !== undefined) await pause
      if (best.length === max && isBetter(best.at(-1) as Scored, each)) continue
      if (filters !== undefined) {
        await pace(COST_OF_FILTER)
        if (!selects(filters, (this.#passages[each[0]] as Passage).file.attributes)) continue
      }
      const place = best.findIndex((one) => isBetter(each, one))
      best.splice(place === -1 ? best.length : place, 0, each)
      if (best.length > max) best.pop()
    }
    return best.map(([at, score]) => {
      const { file, text } = this.#passages[at] as Passage
      return { ...file, text, score: Math.round(score * 10_000) / 10_000 }
    })
  }

  /** Returns the passages that have a word of a query, with their scores from 0 to 1. */
  async #scores(query: string, pace: Pace): Promise<Map<number, number>> {
    const scores = new Map<number, number>()
    const count = this.#passages.length
    const averageLength = this.#words / count
    const words = new Set<string>()
    for (const word of wordsOf(query)) if (words.add(word).size === MAX_WORDS) break
    let highest = 0
    for (const word of words) {
      const places = this.#places.get(word) ?? []
      const having = places.length / 2
      const rarity = Math.log(1 + (count - having + 0.5) / (having + 0.5)) * (SATURATION + 1)
      highest += rarity
      for (let index = 0; index < places.length; index += 2) {
        const [at = 0, times = 0] = [places[index], places[index + 1]]
        const { length } = this.#passages[at] as Passage
        const damping = SATURATION * (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * length) / averageLength)
        scores.set(at, (scores.get(at) ?? 0) + (rarity * times) / (times + damping))
        const pause = pace(COST_OF_PASSAGE)
        if (pause !== undefined) await pause
      }
    }
    for (const [at, score] of scores) scores.set(at, score / highest)
    return scores
  }
}

type Scored = readonly [at: number, score: number]

function isBetter([at, score]: Scored, [other, others]: Scored): boolean {
  return score > others || (score === others && at < other)
}

/** The cost of looking at a passage, and of a filter, which a client wrote, in characters of other work. */
const COST_OF_PASSAGE = 4
const COST_OF_FILTER = 256
