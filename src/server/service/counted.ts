import type { ByteHold } from '../../byte-budget.js'
import { EngineError, type TokenEngine, type TokenStream } from '../../engine/index.js'
import type { Tool } from '../../tools/tool.js'
import { withRun } from '../../tools/with-run.js'
import { OUT_OF_MEMORY, PROMPT_TOKEN_BYTES, TOKEN_BYTES } from './memory.js'

/** Bytes are asked for in steps: most responses take one. */
const STEP = 65_536

/**
 * The engine of one response, whose prompts and tokens are counted into what the response holds. One that gets no more
 * memory ends as when the engine is busy: with a failure by which the client may try again.
 */
export function countedEngine(engine: TokenEngine, held: ByteHold): TokenEngine {
  const { capabilities } = engine
  const meter = createMeter(held)
  return {
    generate(prompt, options) {
      meter.add(prompt.length * PROMPT_TOKEN_BYTES)
      return countedStream(engine.generate(prompt, options), meter)
    },
    health: (options) => engine.health(options),
    ...(capabilities && { capabilities: (options) => capabilities.call(engine, options) }),
  }
}

/** No generator of its own: that would cost a promise more for each token. */
function countedStream(stream: TokenStream, meter: Meter): TokenStream {
  const counted: TokenStream = {
    async next() {
      const step = await stream.next()
      if (step.done) return step
      const count = typeof step.value === 'object' && 'length' in step.value ? step.value.length : 1
      try {
        meter.add(count * TOKEN_BYTES)
      } catch (error) {
        // Not awaited: an engine may answer after its pending step.
        stream.return().catch(() => {})
        throw error
      }
      return step
    },
    return: () => stream.return(),
    [Symbol.asyncIterator]: () => counted,
  }
  return counted
}

/** The tools of one response, whose results are counted. A result without room is a failure of the call. */
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

/** A result is kept as an entry, as an item, and as the model reads it. */
const TEXT_COPIES = 3

interface Meter {
  /** @throws EngineError if there is no room */
  add(bytes: number): void
}

function createMeter(held: ByteHold): Meter {
  let counted = 0
  let taken = 0
  return {
    add(bytes) {
      counted += bytes
      if (counted <= taken) return
      const more = Math.ceil((counted - taken) / STEP) * STEP
      if (held.take(more) !== 'taken') throw new EngineError('rate_limit_exceeded', OUT_OF_MEMORY)
      taken += more
    },
  }
}

/** The characters of a result's texts, by a walk that makes no copy. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 8
  if (ArrayBuffer.isView(value)) return value.byteLength
  let size = 0
  for (const [name, field] of Object.entries(value)) size += name.length + sizeOf(field)
  return size
}
