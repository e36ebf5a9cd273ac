import { readFileSync, writeFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'
import { TABLE, table } from './table.js'

const README = new URL('../../README.md', import.meta.url)

/** Writes what a run found into the README, and prints it. */
export default class TableReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap(({ children }) => [...children.allTests()])
    const found = table((client, scenario) =>
      tests.some((test) => {
        const { name, parent } = test
        return name === scenario && 'name' in parent && parent.name === client && test.result().state === 'passed'
      }),
    )
    console.log(found)
    const readme = readFileSync(README, 'utf8')
    writeFileSync(
      README,
      readme.replace(TABLE, () => found),
    )
  }
}
