import type { ListedTool, McpListing } from '../../../../core/responses/mcp-listing.js'
import { EngineError } from '../../../../engines/contract/index.js'
import type { ByteHold } from '../../../flow/byte-budget.js'
import { bytesOf } from '../../../stores/bytes-of.js'
import type { Tool } from '../../../tools/tool.js'
import { withRun } from '../../with-run.js'
import { OUT_OF_MEMORY } from './memory.js'

/** Bytes are reserved in steps of this size: most responses take one. */
const STEP = 65_536

/**
 * Wraps the tools of one response so that their listings and results are counted. Listings without room refuse the
 * request, and a result fails the call.
 */
export function countedTools(tools: readonly Tool[], held: ByteHold): Tool[] {
  const meter = createMeter(held)
  return tools.map((tool) => {
    const counted = withRun(tool, async (call, context) => {
      const result = await tool.run(call, context)
      meter.add(sizeOf(result) * TEXT_COPIES)
      return result
    })
    if (counted.listings === undefined) return counted
    const listings: Tool['listings'] = async (request, context) => {
      const listed = (await tool.listings?.(request, context)) ?? []
      meter.add(sizeOfListings(listed))
      return listed
    }
    return { ...counted, listings }
  })
}

/** Bytes of a listed tool in a response, beside the two copies in its entry and its item: what finds it by its names. */
const LISTED_TOOL_BYTES = 256
const LISTED_COPIES = 2
/** The sizes of listed tools, which all requests share. */
const listedSizes = new WeakMap<ListedTool, number>()

function sizeOfListings(listings: readonly McpListing[]): number {
  let size = 0
  for (const tool of listings.flatMap(({ tools = [] }) => tools)) {
    const known = listedSizes.get(tool) ?? bytesOf(tool)
    listedSizes.set(tool, known)
    size += LISTED_TOOL_BYTES + LISTED_COPIES * known
  }
  return size
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
