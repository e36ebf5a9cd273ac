import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  scripts: Record<string, string>
}

// This does not run them: a build is slow, and empties the folder that other tests read.
test.each([
  ['bench', 'npm run --silent build >&2'],
  ['demo', 'node scripts/build-quietly.mjs'],
])('the build before %s writes nothing where its output goes', (name, quietBuild) => {
  const [build, ...command] = scripts[name]?.split(' && ') ?? []
  expect(build).toBe(quietBuild)
  expect(command).toHaveLength(1)
})

test('a quiet build writes to standard error alone', () => {
  const script = readFileSync(new URL('../../scripts/build-quietly.mjs', import.meta.url), 'utf8')
  expect(script).not.toMatch(/stdout\.write|console\.log|inherit/)
})
