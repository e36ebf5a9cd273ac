import { EngineError } from '../../../../engines/contract/index.js'
import type { ByteHold } from '../../../flow/byte-budget.js'
import type { Tool } from '../../../tools/tool.js'
import { withRun } from '../../with-run.js'
import { OUT_OF_MEMORY } from './memory.js'

/** Bytes are reserved in steps of this size: most responses take one. */
const STEP = 65_536

/** Wraps the tools of one response so that their results are counted. A result without room fails the call. */
export function countedTools(tools: readonly Tool[], held: ByteHold): Tool[] {
  const meter = createMeter(held)
  return tools.map((tool) =>
    withRun(tool, async (call, context) => {
      const result = await tool.run(call, context)
      meter.add(sizeOf(result) * TEXT_COPIES)
      return result
    }),
  )
}

/** A result is stored as an entry, as an item, and as the model's text. */
const TEXT_COPIES = 3

/** Counts the memory of one response. */
export interface Meter {
  /** @throws EngineError if there is no room */
  add(bytes: number): void
}

export function createMeter(held: ByteHold): Meter {
  return new HeldMeter(held)
}

/** One object instead of closures, since every token reads it, and with many streams each object misses the cache. */
class HeldMeter implements Meter {
  readonly #held: ByteHold
  #counted = 0
  #taken = 0

  constructor(held: ByteHold) {
    this.#held = held
  }

  add(bytes: number): void {
    this.#counted += bytes
    if (this.#counted <= this.#taken) return
    const more = Math.ceil((this.#counted - this.#taken) / STEP) * STEP
    if (this.#held.take(more) !== 'taken') throw new EngineError('rate_limit_exceeded', OUT_OF_MEMORY)
    this.#taken += more
  }
}

/** Counts the characters of a result's texts, without a copy. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 8
  if (ArrayBuffer.isView(value)) return value.byteLength
  let size = 0
  for (const [name, field] of Object.entries(value)) size += name.length + sizeOf(field)
  return size
}
