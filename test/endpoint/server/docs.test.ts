import { expect, test } from 'vitest'
import type { ResponsesAppOptions } from '../../../src/endpoint/server/index.js'
import type { SendEventsOptions } from '../../../src/endpoint/server/node.js'
import { pageOf } from '../../docs/pages.js'

// The compiler holds these to the types, and the tests hold the page to these.
const OPTIONS: Record<keyof ResponsesAppOptions, true> = {
  engine: true,
  tokenTable: true,
  models: true,
  otherModels: true,
  passOn: true,
  tools: true,
  store: true,
  seal: true,
  authorize: true,
  authorizeOperator: true,
  parts: true,
  adminProcesses: true,
  hosts: true,
  origins: true,
  limits: true,
  request: true,
  response: true,
  onDisconnect: true,
  sharedPrefixCache: true,
  dialect: true,
  chat: true,
  done: true,
  keepAliveMs: true,
  basePath: true,
  upgradeWebSocket: true,
  pages: true,
  operatorPages: true,
  onMetric: true,
  tracing: true,
  now: true,
  audit: true,
  offered: true,
  offeredCalls: true,
  approval: true,
  auditArguments: true,
  onEntry: true,
  onError: true,
  pause: true,
  clock: true,
}
const LIMITS: Record<keyof NonNullable<ResponsesAppOptions['limits']>, true> = {
  concurrency: true,
  queue: true,
  concurrencyPerOwner: true,
  conversationItems: true,
  conversationCharacters: true,
  conversationSeconds: true,
  conversationWaits: true,
  turns: true,
  responseSeconds: true,
  statusSeconds: true,
  countedTokens: true,
  knownTextBytes: true,
  passedBytes: true,
  healthSeconds: true,
  firstTokenSeconds: true,
  tokenSeconds: true,
  storeSeconds: true,
  leaseSeconds: true,
  memoryBytes: true,
  bodyBytes: true,
  bodyRatio: true,
  bodySeconds: true,
  connections: true,
  waitingRequests: true,
  waitingMessages: true,
  rememberedResponses: true,
}
const SEND_OPTIONS: Record<keyof SendEventsOptions, true> = {
  done: true,
  keepAliveMs: true,
  headers: true,
  encode: true,
}

/** The first column of the table under a heading. */
function rowsUnder(heading: string): string[] {
  const [, section = ''] = pageOf('docs/server.md').split(`\n## ${heading}\n`)
  const [own = ''] = section.split('\n## ')
  return [...own.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name)
}

test('docs/server.md lists every option, and no other', () => {
  expect(rowsUnder('Options').sort()).toEqual(Object.keys(OPTIONS).sort())
  expect(rowsUnder('Your own routes: sendEvents').sort()).toEqual(Object.keys(SEND_OPTIONS).sort())
})

test('docs/server.md names every limit', () => {
  const [, row = ''] = /^\| `limits` \|(.*)$/m.exec(pageOf('docs/server.md')) ?? []
  for (const limit of Object.keys(LIMITS)) expect(row).toContain(`\`${limit}\``)
})
