import { EngineError } from '../../contract/engine-error.js'
import type { CallPiece } from './chat-chunk.js'
import { JsonEnd } from './json-end.js'
import { tooMuch } from './too-much.js'

/** Writes calls, one after the other. */
export interface CallWriter {
  /** Begins a call, after the end of the one before. */
  begin(name: string): void
  args(text: string): void
}

/** The calls of a turn. */
export const MAX_CALLS = 256
/** The characters of arguments that wait, of all calls of a turn together. */
export const MAX_WAITING: number = 1024 * 1024

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
  /** The characters that wait. */
  #waiting = 0
  /** Whether the turn ended with its first call, and another one followed. */
  #hasDropped = false

  constructor(writer: CallWriter, isParallel: boolean) {
    this.#writer = writer
    this.#isParallel = isParallel
  }

  get isEmpty(): boolean {
    return this.#calls.length === 0
  }

  /** @throws EngineError if a call continues after its end, or for more than a limit */
  push(piece: CallPiece): void {
    const call = this.#callOf(piece)
    if (call === undefined) return
    call.name ??= piece.name
    call.id ??= piece.id
    const { args } = piece
    if (this.#calls.indexOf(call) < this.#live) {
      if (args.trim() !== '') throw new EngineError('server_error', 'the chat server continued a call after its end')
      return
    }
    call.json.push(args)
    call.waiting += args
    this.#waiting += args.length
    this.#write()
    if (this.#waiting > MAX_WAITING) throw tooMuch(MAX_WAITING, 'characters of arguments that wait')
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

  /** Undefined for a call that is dropped: a turn with one call ends with its first. @throws EngineError */
  #callOf(piece: CallPiece): Call | undefined {
    const { index, id, name } = piece
    if (index === undefined && this.#hasDropped) return undefined
    const same = index === undefined ? this.#calls.at(-1) : this.#calls.findLast((call) => call.index === index)
    const isOther =
      same === undefined ||
      (name !== undefined &&
        same.name !== undefined &&
        (id === undefined ? index === undefined && same.json.isWhole : same.id !== undefined && id !== same.id))
    if (!isOther) return same
    this.#hasDropped ||= !this.#isParallel && this.#live >= 0
    if (this.#hasDropped) return undefined
    if (this.#calls.length === MAX_CALLS) throw tooMuch(MAX_CALLS, 'calls in a turn')
    const call: Call = { index, id, name, waiting: '', json: new JsonEnd(), hasArgs: false }
    this.#calls.push(call)
    return call
  }

  #write(): void {
    if (this.#live < 0 && !this.#beginNext()) return
    for (;;) {
      const live = this.#calls[this.#live] as Call
      this.#flush(live)
      if (!live.json.isWhole || !this.#beginNext()) return
    }
  }

  #beginNext(): boolean {
    if (this.#live >= 0 && !this.#isParallel) {
      // The turn ends with its first call: the others are dropped.
      this.#hasDropped ||= this.#calls.length > this.#live + 1
      this.#calls.length = this.#live + 1
      this.#waiting = 0
      return false
    }
    const next = this.#calls[this.#live + 1]
    if (next?.name === undefined) return false
    this.#live += 1
    this.#writer.begin(next.name)
    this.#flush(next)
    return true
  }

  #flush(call: Call): void {
    const { waiting } = call
    if (waiting === '') return
    call.waiting = ''
    this.#waiting -= waiting.length
    this.#put(call, waiting)
  }

  #put(call: Call, text: string): void {
    call.hasArgs ||= text.trim() !== ''
    if (call.hasArgs) this.#writer.args(text)
  }
}
