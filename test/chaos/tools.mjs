import { appendFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** The servers of the requests' tools: the calls of the second one have to be approved. */
export const SERVERS = [
  { type: 'mcp', server_label: 'shop', require_approval: 'never' },
  { type: 'mcp', server_label: 'vault', require_approval: 'always' },
]

const INPUT = { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] }

/**
 * `shop.look` may run again; `shop.pay` and `vault.open` may not. Each writes a line into the ledger before it does anything: the
 * line is there whatever becomes of its process.
 */
export function createTool({ ledger, toolMs }) {
  const lists = [
    { serverLabel: 'shop', tools: ['look', 'pay'].map((name) => ({ name, inputSchema: INPUT })) },
    { serverLabel: 'vault', tools: [{ name: 'open', inputSchema: INPUT }] },
  ]
  return {
    serverLabels: lists.map(({ serverLabel }) => serverLabel),
    answers: ({ type, server_label: label }) => type === 'mcp_call' && lists.some((list) => list.serverLabel === label),
    isRepeatable: ({ name }) => name === 'look',
    listings: async () => lists,
    async run({ name, arguments: given }) {
      const { order } = JSON.parse(given)
      appendFileSync(ledger, `${JSON.stringify({ name, order })}\n`)
      await wait(toolMs)
      return { output: `${name} ${order}: done` }
    },
  }
}
