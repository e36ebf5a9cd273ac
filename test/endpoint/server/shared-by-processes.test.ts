import { expect, test } from 'vitest'
import { expectGenerated } from '../../docs/generated.js'
import { SHARED } from './shared-by-processes.js'

test.each(SHARED.map((row) => [row.what, row.by ?? 'nothing', row] as const))(
  'the same request at two processes of one store: %s are known by %s',
  async (_what, _by, { by, isKnown }) => {
    expect(await isKnown()).toBe(by !== undefined)
  },
)

test('docs/deploy.md says what processes share, as two of them do', () => {
  const rows = SHARED.map(({ what, by, about }) => `| ${what} | ${by ?? '**no**'} | ${about} |`)
  expectGenerated('docs/deploy.md', 'shared', ['| what | shared by | |', '|---|---|---|', ...rows].join('\n'))
})
