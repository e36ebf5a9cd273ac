import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FIRST_SPECIAL } from '../../src/core/harmony/vocabulary.js'
import type { ResponseStreamEvent } from '../../src/core/responses/events.js'
import type { OutputItem } from '../../src/core/responses/items.js'
import { loadTokenTable } from '../../src/core/tokens/load-token-table.js'
import { Translator } from '../../src/index.js'
import { checkEvents } from '../../src/judge/conformance/index.js'
import { describeWithShared, sharedFolder } from '../support/shared-data.js'
import { showToken } from '../support/tokens.js'
import { CASES, type Case } from './llama-server-cases.js'
import { pageOf } from './pages.js'

const PAGE = 'docs/llama-server.md'
const tokenTable = await loadTokenTable()

describe('the tables of the same tokens, twice', () => {
  test.each(CASES)('docs/llama-server.md says what becomes of $wrote', (each) => {
    expect(pageOf(PAGE)).toContain(`${row(each)}\n`)
  })

  test('docs/llama-server.md has no row but those of the cases', () => {
    expect(rows()).toHaveLength(CASES.length)
  })

  test.each(CASES)('our stream of $wrote breaks no rule but by what the model wrote', (each) => {
    const faults = checkEvents(eventsOf(each)).filter(
      ({ severity, fault }) => severity === 'error' && fault === 'server',
    )
    expect(faults).toEqual([])
  })
})

describeWithShared('the scripts of the captures', () => {
  const folder = join(String(sharedFolder()), 'data/captured/llama-server')
  const scripts: { name: string; emit: number[] }[] = JSON.parse(readFileSync(join(folder, 'cases.json'), 'utf8'))

  test.each(CASES)('the captured script $script has the same text and special tokens here', ({ script, tokens }) => {
    expect(shown(tokens)).toBe(shown(scripts.find(({ name }) => name === script)?.emit ?? []))
  })

  // Text may be cut into other tokens: the scripts were not written by our encoder.
  const shown = (tokens: readonly number[]): string =>
    tokens.map((id) => (id >= FIRST_SPECIAL ? `[${id}]` : JSON.parse(showToken(id)))).join('')
})

function rows(): string[] {
  const [, table = ''] = /<!-- side by side -->\n.*\n.*\n([\s\S]*?)<!-- \/side by side -->/.exec(pageOf(PAGE)) ?? []
  return table.trimEnd().split('\n')
}

function row(each: Case): string {
  return `| ${each.wrote} | ${each.llamaServer} | ${ours(each)} |`
}

/** What this library makes of the tokens: the response's status, and its items but for the reasoning. */
function ours(each: Case): string {
  const last = eventsOf(each).at(-1)
  if (last === undefined || !('response' in last)) throw new Error('no terminal event')
  const { status, incomplete_details, output } = last.response
  const items = output.filter(({ type }) => type !== 'reasoning').map(inWords)
  const reason = incomplete_details === null ? '' : `, ${incomplete_details.reason}`
  return `\`${status}\`${reason}: ${items.length === 0 ? 'reasoning alone' : items.join(', ')}`.replaceAll('|', '\\|')
}

function eventsOf({ tokens, tool, limit }: Case): ResponseStreamEvent[] {
  const request = tool === undefined ? {} : { tools: [tool] }
  const translator = new Translator({ request, tokenTable })
  return [
    ...translator.push(limit === undefined ? tokens : tokens.slice(0, limit)),
    ...translator.end(limit === undefined ? 'stop' : 'max_output_tokens'),
  ]
}

function excerpt(text: string): string {
  return text.length <= 56 ? text : `${text.slice(0, 56)}…`
}

function inWords(item: OutputItem): string {
  switch (item.type) {
    case 'message':
      return `message ${JSON.stringify(excerpt(item.content.map(({ text }) => text).join('')))}`
    case 'function_call':
      return `\`${item.name}(${item.arguments})\``
    case 'mcp_call':
      return `\`mcp_call\` \`${item.server_label}.${item.name}(${item.arguments})\``
    case 'code_interpreter_call':
      return `\`code_interpreter_call\` \`${JSON.stringify(item.code)}\``
    case 'web_search_call':
      return item.action.type === 'search' ? `\`web_search_call\` "${item.action.query}"` : item.type
    default:
      return item.type
  }
}
