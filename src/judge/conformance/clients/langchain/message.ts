import { jsonHash } from '../../json-hash.js'
import type { Seen } from '../client.js'
import { TextHash } from '../text-hash.js'
import { type CallChunk, callsIn, MergedCall } from './calls.js'
import { isMergeable, Merged, MergeError, valueType } from './merge.js'
import { partialJson } from './partial-json.js'

/** A content block of a message. Blocks with the same index and type are merged. */
export interface Block {
  readonly type: 'text' | 'reasoning'
  readonly index: unknown
  /** Absent in a block of citations alone, which shows nothing until it is merged with a text. */
  readonly text?: unknown
  readonly phase?: unknown
  readonly citations?: readonly string[]
}

/** The fields of `additional_kwargs.reasoning`, and of the parts of its summary. */
interface ReasoningChunk {
  readonly id?: unknown
  readonly encrypted_content?: unknown
  readonly summary?: readonly SummaryPart[]
}

export interface SummaryPart {
  readonly type?: unknown
  readonly text?: unknown
  readonly index: unknown
}

/**
 * The message that an application gets when it concatenates the chunks of a stream. Indexes decide which blocks are
 * merged. LangChain throws if the types of merged fields differ.
 */
export class LangchainMessage {
  /** Whether the first chunk is still being built: nothing can be merged into it. */
  #isFirst = true
  readonly #blocks: MergedBlock[] = []
  readonly #calls: MergedCall[] = []
  /** Fields of `response_metadata`, and others whose type alone matters. */
  readonly #fields = new Map<string, Merged>()
  #summary: MergedPart[] | undefined
  /** The arguments of done items as texts, by the hash of their parsed value. */
  readonly #texts = new Map<number, TextHash[]>()

  /** Ends a chunk with these metadata fields. */
  chunk(fields: Readonly<Record<string, unknown>> = {}): void {
    for (const [name, value] of Object.entries(fields)) this.field(name, value)
    this.#isFirst = false
  }

  field(path: string, value: unknown): void {
    const known = this.#fields.get(path)
    if (known === undefined) this.#fields.set(path, new Merged(path, value))
    else known.add(value)
  }

  /** The merged status of the response. */
  get status(): TextHash | undefined {
    return this.fieldText('status')
  }

  /** The merged text of a field; undefined if it is none. */
  fieldText(path: string): TextHash | undefined {
    const field = this.#fields.get(path)
    return field?.kind === 'string' ? field.text : undefined
  }

  block(block: Block): void {
    const { type, index, phase } = block
    const hasText = 'text' in block
    const text = hasText ? block.text : ''
    const citations = hasText || isMergeable(index) ? (block.citations ?? []) : []
    const target = this.#isFirst || !isMergeable(index) ? undefined : this.#blockAt(index, type)
    if (target !== undefined) {
      target.text.add(text)
      target.phase.add(phase)
      target.hasText ||= hasText
      for (const citation of citations) target.citations.push(citation)
      return
    }
    // LangChain drops an empty text, with its other fields, if there is no block to merge it into.
    if (!this.#isFirst && type === 'text' && hasText && text === '') return
    const last = this.#blocks.at(-1)
    // Joins blocks that nothing can be merged into, so that a stream of them does not fill the memory.
    if (last !== undefined && last.type === type && !isMergeable(index) && !isMergeable(last.index)) {
      last.before.join(last.text.printed)
      last.text = new Merged('text', text)
      for (const citation of citations) last.citations.push(citation)
      return
    }
    this.#blocks.push({
      type,
      index,
      before: new TextHash(),
      text: new Merged(type, text),
      phase: new Merged('phase', phase),
      hasText,
      citations: [...citations],
    })
  }

  reasoning({ summary, ...fields }: ReasoningChunk): void {
    for (const [name, value] of Object.entries(fields)) this.field(`reasoning.${name}`, value)
    if (summary === undefined) return
    if (this.#summary === undefined) this.#summary = summary.map(partOf)
    else for (const part of summary) mergePart(this.#summary, part)
  }

  call(chunk: CallChunk): void {
    const target = this.#callFor(chunk)
    if (target === undefined) {
      this.#calls.push(new MergedCall(chunk))
      return
    }
    target.add(chunk)
  }

  /**
   * Adds the arguments of a done call. LangChain does not read them, but applications get the parsed value. So a text
   * with the same value, such as one that lacks the last bracket, which LangChain adds, counts as equal.
   */
  addDoneArguments(given: string): void {
    const value = partialJson(given)
    if (value === undefined) return
    const key = jsonHash(value)
    const text = TextHash.of(given)
    const known = this.#texts.get(key)
    if (known === undefined) this.#texts.set(key, [text])
    else if (!known.some((one) => one.equals(text))) known.push(text)
  }

  /**
   * Writes what an application sees of the message to `seen`.
   *
   * @param withNameless - whether calls without an id count, which it passes on as invalid
   */
  show(seen: Seen, withNameless = true): void {
    seen.final = new TextHash()
    for (const { type, before, text, hasText, citations } of this.#blocks) {
      if (type !== 'text') continue
      seen.final.join(before).join(text.printed)
      if (hasText) for (const citation of citations) seen.citations.push(citation)
    }
    for (const group of this.#collapsed()) {
      if (withNameless || group.some(({ id }) => Boolean(id)))
        for (const call of callsIn(group, this.#texts)) seen.calls.push(call)
    }
    const status = this.status
    for (const ending of ['completed', 'incomplete', 'failed', 'cancelled'] as const) {
      if (status?.equals(TextHash.of(ending))) seen.ending = ending
    }
  }

  #blockAt(index: unknown, type: Block['type']): MergedBlock | undefined {
    return this.#blocks.find((block) => block.index === index && block.type === type)
  }

  #callFor({ index, id }: CallChunk): MergedCall | undefined {
    if (this.#isFirst || (!isMergeable(index) && !hasId(id))) return undefined
    return this.#calls.find((call) => {
      const both = hasId(id) && hasId(call.id)
      if (isMergeable(index) && isMergeable(call.index)) return call.index === index && (!both || call.id === id)
      return !isMergeable(index) && !isMergeable(call.index) && both && call.id === id
    })
  }

  /** Groups the unmerged chunks by call. The last step of LangChain has its own rules for that. */
  #collapsed(): MergedCall[][] {
    const groups: MergedCall[][] = []
    for (const call of this.#calls) {
      const group = groups.find(([first]) => {
        const [hasOwnId, hasIndex] = [Boolean(call.id), call.index !== undefined]
        const sameIndex = call.index === first?.index
        if (!hasOwnId) return hasIndex && sameIndex
        return call.id === first?.id && (!hasIndex || sameIndex)
      })
      if (group === undefined) groups.push([call])
      else group.push(call)
    }
    return groups
  }
}

interface MergedBlock {
  readonly type: Block['type']
  readonly index: unknown
  /** The joined text of the unmergeable blocks before it. */
  readonly before: TextHash
  text: Merged
  readonly phase: Merged
  hasText: boolean
  readonly citations: string[]
}

interface MergedPart {
  readonly index: unknown
  readonly typeName: unknown
  readonly type: Merged
  readonly text: Merged
}

function partOf({ type, text, index }: SummaryPart): MergedPart {
  return { index, typeName: type, type: new Merged('type', type), text: new Merged('text', text) }
}

function mergePart(parts: MergedPart[], part: SummaryPart): void {
  const { type, text, index } = part
  const target = isMergeable(index)
    ? parts.find(({ index: other, typeName }) => {
        const differs = typeof typeName === 'string' && typeof type === 'string' && typeName !== type
        return other === index && !differs
      })
    : undefined
  if (target !== undefined) {
    if (valueType(type) !== 'nothing' && target.type.kind !== 'nothing' && target.type.kind !== valueType(type)) {
      throw new MergeError('type', target.type.kind, valueType(type))
    }
    target.text.add(text)
  } else if (text !== '' && isMergeable(index)) parts.push(partOf(part))
}

const hasId = (id: unknown): boolean => id !== undefined && id !== null && id !== ''
