import { EngineError } from '../../contract/engine-error.js'
import type { CallPiece } from './chat-chunk.js'
import { JsonEnd } from './json-end.js'

/** Writes calls, one after the other. */
export interface CallWriter {
  /** Begins a call, after the end of the one before. */
  begin(name: string): void
  args(text: string): void
}

interface Call {
  readonly index: number | undefined
  id: string | undefined
  name: string | undefined
  /** Arguments that are not written yet. */
  waiting: string
  readonly json: JsonEnd
  hasArgs: boolean
}

/**
 * Puts the pieces of parallel calls in order: the first call is written as it arrives. The next begins when the one before
 * is a whole JSON object; until then its pieces wait.
 */
export class CallList {
  readonly #writer: CallWriter
  readonly #isParallel: boolean
  readonly #calls: Call[] = []
  /** The call that is being written. */
  #live = -1

  constructor(writer: CallWriter, isParallel: boolean) {
    this.#writer = writer
    this.#isParallel = isParallel
  }

  get isEmpty(): boolean {
    return this.#calls.length === 0
  }

  /** @throws EngineError if a call continues after its end */
  push(piece: CallPiece): void {
    const call = this.#callOf(piece)
    call.name ??= piece.name
    call.id ??= piece.id
    const { args } = piece
    if (this.#calls.indexOf(call) < this.#live) {
      if (args.trim() !== '') throw new EngineError('server_error', 'the chat server continued a call after its end')
      return
    }
    call.json.push(args)
    call.waiting += args
    this.#write()
  }

  /** Ends the list: what waits is written. @throws EngineError for a call without a name */
  end(isCut: boolean): void {
    for (;;) {
      this.#complete(isCut)
      if (this.#beginNext()) continue
      if (isCut || this.#live + 1 >= this.#calls.length) return
      throw new EngineError('server_error', 'the chat server sent a call without a name')
    }
  }

  /** An empty text is no JSON, which a call without arguments has. */
  #complete(isCut: boolean): void {
    const live = this.#calls[this.#live]
    if (live !== undefined && !live.hasArgs && !isCut) this.#put(live, '{}')
  }

  #callOf(piece: CallPiece): Call {
    const { index, id, name } = piece
    const same = index === undefined ? this.#calls.at(-1) : this.#calls.findLast((call) => call.index === index)
    const isOther =
      same === undefined ||
      (name !== undefined &&
        same.name !== undefined &&
        (id === undefined ? index === undefined && same.json.isWhole : same.id !== undefined && id !== same.id))
    if (!isOther) return same
    const call: Call = { index, id, name, waiting: '', json: new JsonEnd(), hasArgs: false }
    this.#calls.push(call)
    return call
  }

  #write(): void {
    if (this.#live < 0 && !this.#beginNext()) return
    for (;;) {
      const live = this.#calls[this.#live] as Call
      if (live.waiting !== '') {
        this.#put(live, live.waiting)
        live.waiting = ''
      }
      if (!live.json.isWhole || !this.#beginNext()) return
    }
  }

  #beginNext(): boolean {
    if (this.#live >= 0 && !this.#isParallel) {
      // The turn ends with its first call: the others are dropped.
      this.#calls.length = this.#live + 1
      return false
    }
    const next = this.#calls[this.#live + 1]
    if (next?.name === undefined) return false
    this.#live += 1
    this.#writer.begin(next.name)
    if (next.waiting !== '') this.#put(next, next.waiting)
    next.waiting = ''
    return true
  }

  #put(call: Call, text: string): void {
    call.hasArgs ||= text.trim() !== ''
    if (call.hasArgs) this.#writer.args(text)
  }
}
