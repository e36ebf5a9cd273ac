import { randomBytes } from 'node:crypto'
import type { Program } from '../../../shared/system/platform/programs.js'
import { parseFrame } from './cell-frame.js'
import { CellOutput } from './cell-output.js'

/** What became of a cell. */
export interface CellResult {
  /** What it printed: standard output and error as they were written, the last expression, a traceback. */
  readonly output: string
  /** Its images: PNG, in base64. */
  readonly images: readonly string[]
  /** Why it was interrupted. Absent if it was not. */
  readonly stopped?: StopReason | undefined
  /** How its process died, with the whole session. Absent if it lives. */
  readonly died?: string
}

/** `time`: it took too long; `output`: it printed too much; `caller`: its result is no longer wanted. */
export type StopReason = 'time' | 'output' | 'caller'

export interface SessionLimits {
  /** The maximum time of a cell in seconds. */
  readonly seconds: number
  /** The maximum size of what a cell's result has of its output, in bytes. */
  readonly maxOutputBytes: number
  /** The maximum size of a cell's images, in bytes of base64. */
  readonly maxImageBytes: number
}

/** How long an interrupted cell may take to end. After that the session ends, in milliseconds. */
const GRACE_MS = 2_000
/** How much a cell may print, though little of it is kept, in bytes. */
const MAX_PRINTED = 67_108_864

interface Cell {
  readonly mark: Buffer
  readonly output: CellOutput
  /** What follows its mark, once that was read. */
  frame: Buffer[] | undefined
  frameBytes: number
  /** The last bytes, which may be the beginning of the mark. */
  rest: Buffer
  stopped?: StopReason
  end(result: Pick<CellResult, 'images' | 'died'>): void
}

/** A running Python, which keeps its variables from cell to cell. It runs one cell at a time. */
export class Session {
  readonly #program: Program
  readonly #limits: SessionLimits
  readonly #end: () => void
  #cell: Cell | undefined
  #isOver = false
  #queue: Promise<unknown> = Promise.resolve()

  /** @param end - called once when it ends, in any way */
  constructor(program: Program, limits: SessionLimits, end: () => void) {
    this.#program = program
    this.#limits = limits
    this.#end = end
    program.output.on('data', (data: Buffer) => this.#read(data))
    program.ended.then(({ how, errors }) => this.#over(errors.trim() === '' ? how : `${how}: ${errors.trim()}`))
  }

  /** Whether no cell can run any more. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Runs a cell after those before it. The result comes {@link GRACE_MS} after the signal aborts at the latest. */
  run(code: string, signal: AbortSignal): Promise<CellResult> {
    const result = this.#queue.then(() => this.#run(code, signal))
    this.#queue = result
    return result
  }

  /** Ends it at once, with all its processes. */
  close(): void {
    this.#over('it was ended')
  }

  async #run(code: string, signal: AbortSignal): Promise<CellResult> {
    if (this.#isOver) return { output: '', images: [], died: 'it had ended before the cell began' }
    if (signal.aborted) return { output: '', images: [], stopped: 'caller' }
    const { seconds, maxOutputBytes } = this.#limits
    const mark = randomBytes(24).toString('hex')
    const output = new CellOutput(maxOutputBytes)
    const timer = setTimeout(() => this.#stop('time'), seconds * 1000)
    const leave = (): void => this.#stop('caller')
    signal.addEventListener('abort', leave)
    const cell: Cell = {
      mark: Buffer.from(mark),
      output,
      frame: undefined,
      frameBytes: 0,
      rest: Buffer.alloc(0),
      end() {},
    }
    try {
      const ended = await new Promise<Pick<CellResult, 'images' | 'died'>>((resolve) => {
        cell.end = resolve
        this.#cell = cell
        this.#write({ run: code, mark })
      })
      return { output: output.text(), ...ended, ...(cell.stopped && { stopped: cell.stopped }) }
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
      this.#cell = undefined
    }
  }

  /** Interrupts the cell, and ends the session if that does not help. */
  #stop(why: StopReason): void {
    const cell = this.#cell
    if (cell === undefined || cell.stopped !== undefined) return
    cell.stopped = why
    this.#write({ interrupt: true })
    setTimeout(() => {
      if (this.#cell === cell) this.#over('it could not be interrupted')
    }, GRACE_MS)
  }

  #write(message: object): void {
    this.#program.input.write(`${JSON.stringify(message)}\n`)
  }

  #read(data: Buffer): void {
    const cell = this.#cell
    // Nothing is running: what was stopped has nothing to say.
    if (cell === undefined) return
    if (cell.frame !== undefined) {
      this.#readFrame(cell, data)
      return
    }
    const all = Buffer.concat([cell.rest, data])
    const at = all.indexOf(cell.mark)
    const shown = at === -1 ? Math.max(0, all.length - cell.mark.length + 1) : at
    cell.output.push(all.subarray(0, shown))
    cell.rest = all.subarray(shown)
    if (cell.output.bytes > MAX_PRINTED) this.#stop('output')
    if (at === -1) return
    cell.frame = []
    this.#readFrame(cell, all.subarray(at + cell.mark.length))
  }

  #readFrame(cell: Cell, data: Buffer): void {
    cell.frame?.push(data)
    cell.frameBytes += data.length
    if (data.includes(10)) {
      const frame = parseFrame(Buffer.concat(cell.frame ?? []), this.#limits.maxImageBytes)
      if (frame.died !== undefined) this.#over(frame.died)
      else cell.end({ images: frame.images })
    } else if (cell.frameBytes > 2 * this.#limits.maxImageBytes + 65_536) this.#over('its answer was too large')
  }

  #over(how: string): void {
    if (this.#isOver) return
    this.#isOver = true
    // It ends where its input does. Killed while it starts, bubblewrap would leave a process behind that waits for ever.
    this.#program.input.end()
    const timer = setTimeout(() => this.#program.kill(), GRACE_MS)
    this.#program.ended.then(() => clearTimeout(timer))
    this.#end()
    const cell = this.#cell
    if (cell === undefined) return
    if (cell.frame === undefined) cell.output.push(cell.rest)
    cell.end({ images: [], died: how })
  }
}
