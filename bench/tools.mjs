// Tools that the host runs, each beside the least that its work takes: a row for each.
import { request } from 'undici'
import { createBrowserTool, createGuardedFetch, searxng } from '../dist/endpoint/tools/browser/index.js'
import { startProgram } from './start-program.mjs'

/**
 * @typedef {object} ToolRow
 * @property {string} figure what a call does
 * @property {string} beside what the other does
 * @property {number} atMost the most processor time of a call beyond the other's, in milliseconds
 * @property {string} says what both answer
 * @property {() => Promise<{ ours(): Promise<string>, other(): Promise<string>, end(): void }>} start
 */

/** @type {readonly ToolRow[]} */
export const TOOLS = [
  {
    figure: 'browser.search, of 10 results by SearXNG',
    beside: 'undici.request and JSON.parse',
    atMost: 1,
    says: 'Otters 9',
    start: () =>
      browsing({ type: 'search', query: '' }, { query: 'otters' }, async (web) => {
        const { body } = await request(`${web}/search?q=otters&format=json`)
        return (await body.json()).results.map(({ title }) => title).join('\n')
      }),
  },
  {
    figure: 'browser.open, of a page of 100 kB',
    beside: 'undici.request and its text',
    atMost: 25,
    says: 'Otters',
    start: () =>
      browsing(
        { type: 'open_page', url: '' },
        (web) => ({ id: `${web}/page` }),
        async (web) => {
          const { body } = await request(`${web}/page`)
          return body.text()
        },
      ),
  },
]

/** Starts a web of this machine, and a browser whose conversation is always at its beginning. */
async function browsing(action, given, other) {
  const { port, child } = await startProgram('web')
  const web = `http://127.0.0.1:${port}`
  const fetch = await createGuardedFetch({ allow: [`127.0.0.1:${port}`] })
  const tool = await createBrowserTool({ backend: searxng({ url: web }), fetch })
  const call = { type: 'web_search_call', id: 'ws_1', status: 'searching', action }
  const context = {
    request: { tools: [{ type: 'web_search' }] },
    text: JSON.stringify(typeof given === 'function' ? given(web) : given),
    ...{ earlierResults: () => [], before: [], signal: new AbortController().signal },
    ...{ report() {}, insert: () => false },
  }
  return {
    async ours() {
      const { output, error } = await tool.run(call, context)
      return output ?? error.message
    },
    other: () => other(web),
    end: () => child.kill(),
  }
}
