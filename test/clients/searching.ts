import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { urlCitations } from '../../src/core/citations/index.js'
import type { CallRecord } from '../../src/endpoint/server/index.js'
import { type ServeOptions, serveResponses } from '../../src/endpoint/server/node.js'
import { createBrowserTool, createGuardedFetch, searxng } from '../../src/endpoint/tools/browser/index.js'
import type { Tool } from '../../src/endpoint/tools/tool.js'
import { loadTokenTable } from '../../src/index.js'
import { answer, call, type Script, type ScriptedEngine, scriptedEngine, think } from '../../src/testing/index.js'

/* A SearXNG instance and a page on this machine, a server that browses them, and a model that does so in ten calls. */

export const QUESTION = 'Do otters hold hands?'

/** The page that is found and cited. */
export interface LocalWeb {
  readonly page: string
  readonly tool: Tool
}

/** Serves a page until the test is over, which only its own port opens. */
export async function localWeb(): Promise<LocalWeb> {
  const lines = Array.from({ length: 20 }, (_, at) => `<p>Otters hold hands ${at}.</p>`).join('')
  const web = createServer((request, response) => {
    const page = `http://${request.headers.host}/otters`
    if (request.url?.startsWith('/search?')) {
      response.end(JSON.stringify({ results: [{ title: 'Otters', url: page, content: 'They hold hands.' }] }))
    } else response.setHeader('content-type', 'text/html').end(`<title>Otters</title>${lines}`)
  })
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    web.closeAllConnections()
    web.close()
  })
  const host = `127.0.0.1:${(web.address() as AddressInfo).port}`
  const fetch = await createGuardedFetch({ allow: [host] })
  const tool = await createBrowserTool({ backend: searxng({ url: `http://${host}` }), fetch })
  return { page: `http://${host}/otters`, tool }
}

/** The calls that the model makes for one question. */
export const CALLS: readonly ReturnType<typeof call>[] = [
  call('browser.search', { query: 'otters' }),
  call('browser.open', { id: 0 }),
  call('browser.find', { pattern: 'hands 7' }),
  ...Array.from({ length: 7 }, (_, at) => call('browser.open', { cursor: 1, loc: at + 2, num_lines: 2 })),
]

/** A model that makes the calls one after another, and then cites the page twice. */
export const browsing = (({ messages }) => {
  const asked = messages.findLastIndex(({ role }) => role === 'user')
  const next = CALLS[messages.slice(asked).filter(({ role }) => role === 'tool').length]
  return next === undefined ? answer('They do【1†L2】, says the page【3†L2-L3】.') : [think('Look.'), next]
}) satisfies Script

export interface Searching {
  readonly baseURL: string
  readonly page: string
  readonly engine: ScriptedEngine
  readonly records: readonly CallRecord[]
  readonly errors: readonly unknown[]
}

/** Serves until the test is over. @param offered - whether each response has the search, whatever it declares */
export async function searching(offered: boolean): Promise<Searching> {
  const records: CallRecord[] = []
  const errors: unknown[] = []
  const engine = scriptedEngine(browsing)
  const { page, tool } = await localWeb()
  const options: ServeOptions = {
    ...{ engine, tokenTable: await loadTokenTable(), port: 0, tools: [tool], models: ['gpt-oss'] },
    ...(offered && { offered: { tools: [{ type: 'web_search' }] } }),
    response: { citations: urlCitations() },
    audit: (record) => void records.push(record),
    onError: (error) => void errors.push(error),
  }
  const server = await serveResponses(options)
  onTestFinished(() => server.close({ graceMs: 0 }))
  return { baseURL: `${server.url}/v1`, page, engine, records, errors }
}
