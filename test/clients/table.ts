import { clients } from './clients.js'
import { scenarios } from './scenarios.js'

/** Where the README has the table. */
export const TABLE: RegExp = /(?<=<!-- clients -->\n)[\s\S]*(?=\n<!-- \/clients -->)/

/** Scenario by client as Markdown, and below it the reason for each limit, under the number that its cells give. */
export function table(passed: (client: string, scenario: string) => boolean): string {
  const names = clients.map(({ name }) => name)
  const rows = scenarios.map(({ name }) => [name, ...names.map((client) => cell(client, name, passed(client, name)))])
  const lines = [['scenario', ...names], ['---', ...names.map(() => '---')], ...rows]
  return [...lines.map((line) => `| ${line.join(' | ')} |`), '', ...reasons()].join('\n')
}

/** Each limit of each client, in the order of their numbers. */
const limits = clients.flatMap(({ name, limits }) => limits.map((limit) => ({ client: name, ...limit })))

/** `ok` only where a test passed and the client has no limit there. */
function cell(client: string, scenario: string, passed: boolean): string {
  if (!passed) return '**failed**'
  const mine = limits.flatMap((limit, index) =>
    limit.client === client && limit.scenario.includes(scenario) ? [`${limit.what} (${index + 1})`] : [],
  )
  return mine.length === 0 ? 'ok' : mine.join('; ')
}

function reasons(): string[] {
  return limits.map(({ client, what, because }, index) => `${index + 1}. ${client}, ${what}: ${because}.`)
}
