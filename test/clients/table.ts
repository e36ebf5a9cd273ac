import type { Reporter, TestCase, TestModule } from 'vitest/node'
import { clients } from './clients.js'
import { scenarios } from './scenarios.js'

/** Prints what a run found as Markdown: scenario by client, then why. */
export default class TableReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap(({ children }) => [...children.allTests()])
    console.log([...rows(tests), '', ...reasons()].join('\n'))
  }
}

function rows(tests: readonly TestCase[]): string[] {
  const names = clients.map(({ name }) => name)
  const lines = scenarios.map(({ name }) => [name, ...names.map((client) => cell(tests, client, name))])
  return [['scenario', ...names], names.map(() => '---').concat('---'), ...lines].map(
    (line) => `| ${line.join(' | ')} |`,
  )
}

/** `ok` only where a test passed and the client has no limit there. */
function cell(tests: readonly TestCase[], client: string, scenario: string): string {
  const test = tests.find(({ name, parent }) => name === scenario && 'name' in parent && parent.name === client)
  if (test?.result().state !== 'passed') return '**failed**'
  const limits = clients.filter(({ name }) => name === client).flatMap((one) => one.limits)
  const mine = limits.filter((limit) => limit.scenario.includes(scenario))
  return mine.length === 0 ? 'ok' : mine.map(({ what }) => what).join('; ')
}

function reasons(): string[] {
  return clients.flatMap(({ name, limits }) => limits.map(({ what, because }) => `- ${name}, ${what}: ${because}.`))
}
