import { readFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { ANSWER, offer, RESULTS } from '../clients/offering.js'
import { lockedVersion } from '../support/locked-versions.js'
import { play, programs } from './programs.js'

/*
 * Programs that know nothing of a function of the host and an MCP server: the model calls both, then a tool of the program's
 * own where it has one, and answers.
 */

/** The passed checks of each program, for the table. */
const rows: string[] = []

test.each(programs.map((program) => [`${program.name} by ${program.api}`, program] as const))(
  '%s has the tools that the server offers, and runs its own alone',
  async (_, program) => {
    const { baseURL, engine, records, errors } = await offer(program.own)
    const shown = await play(program, baseURL, 'Roll, look it up, and read the note.')
    expect(shown).toContain(ANSWER)
    expect(errors).toEqual([])
    expect(records.map(({ name, allowedBy }) => [name, allowedBy])).toEqual([
      ['roll', 'operator'],
      ['echo', 'operator'],
    ])
    const read = (engine.calls.at(-1)?.messages ?? []).filter(({ role }) => role === 'tool')
    if (program.own !== undefined) expect(read.pop()?.content).toContain('rain')
    const known = read.map(({ content }) => content)
    expect([[], RESULTS]).toContainEqual(known)
    const cells = [program.own === undefined ? 'has none' : '✓', known.length > 0 ? '✓' : 'no: it leaves them out']
    const version = lockedVersion('test/programs', program.package)
    rows.push(`| ${program.name} | ${version} | ${program.api} | ✓ | ${cells.join(' | ')} |`)
  },
)

afterAll(() => {
  if (rows.length < programs.length) return
  const page = readFileSync(new URL('../../docs/clients.md', import.meta.url), 'utf8')
  const [, found = ''] = /<!-- programs -->\n([\s\S]*?)\n<!-- \/programs -->/.exec(page) ?? []
  const head = [
    '| program | version | API | offered tools run | its own tool runs | the model then knows of the offered calls |',
    '|---|---|---|---|---|---|',
  ]
  expect(found).toBe([...head, ...rows].join('\n'))
})
