import { readFileSync, writeFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'
import { tables } from './table.js'

const root = new URL('../../', import.meta.url)

/** Writes what a run found into the pages, and prints it. */
export default class TableReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap(({ children }) => [...children.allTests()])
    const passed = (client: string, scenario: string): boolean =>
      tests.some((test) => {
        const { name, parent } = test
        return name === scenario && 'name' in parent && parent.name === client && test.result().state === 'passed'
      })
    for (const { page, place, text } of tables) {
      const found = text(passed)
      console.log(found)
      const file = new URL(page, root)
      writeFileSync(
        file,
        readFileSync(file, 'utf8').replace(place, () => found),
      )
    }
  }
}
