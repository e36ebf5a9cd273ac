import type { CallResult } from '../../../../src/core/responses/call-result.js'
import type { WebSearchAction, WebSearchTool } from '../../../../src/core/responses/items.js'
import { type BrowserToolOptions, createBrowserTool } from '../../../../src/endpoint/tools/browser/index.js'
import type { EarlierResult, HostedCall, ToolContext } from '../../../../src/endpoint/tools/tool.js'

const ACTIONS: { readonly [tool: string]: WebSearchAction } = {
  search: { type: 'search', query: '' },
  open: { type: 'open_page', url: '' },
  find: { type: 'find_in_page', pattern: '', url: '' },
}

export function browserCall(tool: string): HostedCall {
  return { type: 'web_search_call', id: 'ws_1', status: 'searching', action: ACTIONS[tool] as WebSearchAction }
}

/** A conversation with a browser: the model reads each result before its next call. */
export interface Conversation {
  /** @param given - the arguments, or the text that the model wrote instead */
  call(tool: string, given: object | string, before?: readonly HostedCall[]): Promise<string>
  /** The whole result of the latest call. */
  last(): CallResult
  readonly results: EarlierResult[]
}

/** Pages by address: HTML, or an answer. */
export interface Web {
  readonly [url: string]: string | (() => Response | Promise<Response>)
}

/** A fetch of these pages alone, which counts. */
export function fetchOf(web: Web, opened: string[] = []): typeof globalThis.fetch {
  return async (input) => {
    opened.push(String(input))
    const page = web[String(input)]
    if (page === undefined) throw new TypeError('fetch failed', { cause: new Error('no route') })
    return typeof page === 'string' ? new Response(page, { headers: { 'content-type': 'text/html' } }) : page()
  }
}

export async function converse(
  options: BrowserToolOptions,
  declared: Partial<WebSearchTool> = {},
  results: EarlierResult[] = [],
  signal: AbortSignal = new AbortController().signal,
): Promise<Conversation> {
  const tool = await createBrowserTool(options)
  let last: CallResult = {}
  return {
    results,
    last: () => last,
    async call(name, given, before = []) {
      const context: ToolContext = {
        request: { tools: [{ type: 'web_search', ...declared }] },
        text: typeof given === 'string' ? given : JSON.stringify(given),
        earlierResults: () => [...results],
        before,
        signal,
        report() {},
        insert: () => false,
      }
      last = await tool.run(browserCall(name), context)
      const text = last.output ?? last.error?.message ?? ''
      results.push({ tool: `browser.${name}`, text })
      return text
    },
  }
}
