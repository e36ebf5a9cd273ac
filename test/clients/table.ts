import { differenceRows } from './chat-differences.js'
import { clients } from './clients.js'
import type { Limit } from './play.js'
import { scenarios } from './scenarios.js'

/** A table of a page, and the place in it: between two comments of its name. */
export interface PageTable {
  /** The page's path from the root. */
  readonly page: string
  readonly place: RegExp
  /** `passed` returns whether the test of a client and a scenario passed. */
  readonly text: (passed: Passed) => string
}

type Passed = (client: string, scenario: string) => boolean

/** All limits of all clients, in the order of their numbers. */
const limits = clients.flatMap(({ name, limits }) => limits.map((limit) => ({ client: name, ...limit })))

/** Every scenario by every client, and below it the reason for each number. */
const matrix: PageTable = {
  page: 'docs/clients.md',
  place: between('clients'),
  text(passed) {
    const rows = scenarios.map(({ name }) => [name, ...clients.map((client) => cell(client.name, name, passed))])
    const reasons = limits.map(({ client, what, because }, index) => `${index + 1}. ${client}, ${what}: ${because}.`)
    return [...markdown(['scenario', ...clients.map(({ name }) => name)], rows), '', ...reasons].join('\n')
  },
}

/** For each client, a mark for each ability. */
const marks: PageTable = {
  page: 'docs/clients.md',
  place: between('client marks'),
  text(passed) {
    const rows = clients.map(({ name }) => [
      name,
      ...Object.keys(ABILITIES).map((ability) => mark(name, ability, passed)),
    ])
    return markdown(['', ...Object.keys(ABILITIES)], rows).join('\n')
  },
}

/** What the clients do differently with the chat engine. */
const chat: PageTable = {
  page: 'docs/chat-engine.md',
  place: between('client differences'),
  text: () => differenceRows().join('\n'),
}

export const tables: readonly PageTable[] = [matrix, marks, chat]

/** The scenarios that show an ability. */
const ABILITIES: Readonly<Record<string, readonly string[]>> = {
  text: ['plain answer', 'log-probabilities'],
  'reasoning summary': ['reasoning as summary'],
  'raw reasoning': ['reasoning'],
  functions: ['preamble and call', 'two calls', 'three turns', 'call, sealed reasoning'],
  'custom tools': ['custom tool'],
  MCP: ['MCP call', 'two MCP calls at once', 'undeclared tool', 'MCP listing, bare'],
  approval: ['MCP approval'],
  code: ['code interpreter'],
  shell: ['shell in a container'],
  'web search': ['web search'],
  truncation: ['truncated answer', 'truncated call', 'truncated call, whole'],
  failure: ['failure', 'abort'],
}

/** The ability that a client with this limit lacks. */
const MISSING: readonly string[] = [
  'no raw reasoning',
  'no custom tools',
  'no hosted calls',
  'no approval',
  'no output of the shell',
  'throws at shell calls',
]

function mark(client: string, ability: string, passed: Passed): string {
  const names = ABILITIES[ability] ?? []
  if (!names.every((scenario) => passed(client, scenario))) return '**failed**'
  const mine = names
    .flatMap((scenario) => limitsOf(client, scenario))
    // Reasoning has a column of its own.
    .filter(({ what }) => what !== 'no raw reasoning' || ability === 'raw reasoning')
  if (mine.some(({ what }) => MISSING.includes(what))) return '✗'
  return mine.length === 0 ? '✓' : '◐'
}

/** A check mark only if the test passed and the client has no limit there. */
function cell(client: string, scenario: string, passed: Passed): string {
  if (!passed(client, scenario)) return '**failed**'
  const mine = limitsOf(client, scenario)
  return mine.length === 0 ? '✓' : mine.map((limit) => limits.indexOf(limit) + 1).join(', ')
}

function limitsOf(client: string, scenario: string): (Limit & { readonly client: string })[] {
  return limits.filter((limit) => limit.client === client && limit.scenario.includes(scenario))
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [head, head.map(() => '---'), ...rows].map((line) => `| ${line.join(' | ')} |`)
}

function between(name: string): RegExp {
  return new RegExp(`(?<=<!-- ${name} -->\\n)[\\s\\S]*(?=\\n<!-- /${name} -->)`)
}
