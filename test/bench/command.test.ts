import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  scripts: Record<string, string>
}

// Not by running them: a build takes its time, and empties the folder that other tests read.
test.each(['bench', 'demo'])('the build before %s writes nothing where its output goes', (name) => {
  const [build, ...command] = scripts[name]?.split(' && ') ?? []
  expect(build).toBe('npm run --silent build >&2')
  expect(command).toHaveLength(1)
})
