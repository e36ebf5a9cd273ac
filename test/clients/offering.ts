import { onTestFinished } from 'vitest'
import type { CallRecord } from '../../src/endpoint/server/index.js'
import { serveResponses } from '../../src/endpoint/server/node.js'
import { mcpTools } from '../../src/endpoint/tools/mcp/index.js'
import { loadTokenTable } from '../../src/index.js'
import { answer, call, type Script, type ScriptedEngine, scriptedEngine, think } from '../../src/testing/index.js'
import { dice } from '../endpoint/server/dice-and-weather.js'
import { inMemory } from '../endpoint/tools/mcp/fixtures.js'

/* A server that offers a function of the host and an MCP server, and a model that calls both before the client's own tool. */

/** The model's answer after all three results. */
export const ANSWER = 'A 4, as the book says, and rain.'

/** The results of the function and of the MCP server. */
export const RESULTS: readonly string[] = ['4', 'the book']

/**
 * A model that goes on from what it read last: a client that does not send offered calls back shall not have them made again.
 *
 * @param own - how it calls the client's own tool; undefined where it has none
 */
const scriptOf =
  (own: ReturnType<typeof call> | undefined): Script =>
  ({ messages }) => {
    const { role, content } = messages.at(-1) ?? {}
    if (role === 'user') return [think('I roll.'), call('dice.roll', {})]
    if (content === '4') return [think('I look it up.'), call('book.echo', { text: 'the book' })]
    return own !== undefined && content === 'the book' ? [think('The weather.'), own] : answer(ANSWER)
  }

export interface Offering {
  readonly baseURL: string
  readonly engine: ScriptedEngine
  /** The offered calls that ran. */
  readonly records: readonly CallRecord[]
  readonly errors: readonly unknown[]
}

/** Serves until the test is over. */
export async function offer(own?: ReturnType<typeof call>): Promise<Offering> {
  const records: CallRecord[] = []
  const errors: unknown[] = []
  const book = mcpTools({ servers: { book: { ...inMemory().config, allowedTools: ['echo'] } } })
  const engine = scriptedEngine(scriptOf(own))
  const server = await serveResponses({
    ...{ engine, tokenTable: await loadTokenTable(), port: 0, tools: [dice, book] },
    offered: { tools: [dice.declaration, { type: 'mcp', server_label: 'book' }] },
    audit: (record) => void records.push(record),
    onError: (error) => void errors.push(error),
  })
  onTestFinished(async () => {
    await server.close({ graceMs: 0 })
    await book.close()
  })
  return { baseURL: `${server.url}/v1`, engine, records, errors }
}
