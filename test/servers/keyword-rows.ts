import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  type AskedCase,
  acceptedWrong,
  askedCases,
  heldAllTheSame,
  refusedRight,
  type Verdicts,
} from './asked-cases.js'
import { environmentOf, type Kind, obstacle } from './install.js'
import { HELD_ALL_THE_SAME, NARROWER } from './known-differences.js'

interface Answer {
  readonly versions: Readonly<Record<string, string>>
  readonly judged: readonly Verdicts[]
}

interface JudgedCase {
  readonly one: AskedCase
  readonly sent: Verdicts | undefined
  readonly native: Verdicts | undefined
}

/** What each backend holds, by our own list, is put to the libraries of servers: bodies that are right, and wrong ones. */
export function keywordRows(kinds: readonly Kind[]): void {
  describe('the keywords that a backend holds', () => {
    const asked = askedCases()
    const judgedBy = new Map<Kind, readonly JudgedCase[]>()
    beforeAll(async () => {
      // Both at once: each process loads for longer than it judges.
      const able = kinds.filter((kind) => obstacle(kind) === undefined)
      await Promise.all(able.map(async (kind) => judgedBy.set(kind, await judgedCases(kind, asked))))
    })
    for (const kind of kinds) rowsOf(kind, () => judgedBy.get(kind) ?? expect.fail('not judged'))
  })
}

function rowsOf(kind: Kind, judged: () => readonly JudgedCase[]): void {
  const missing = obstacle(kind)
  const title = `by the libraries of ${kind}${missing === undefined ? '' : ` (skipped: ${missing})`}`
  describe.skipIf(missing !== undefined)(title, () => {
    test('every constraint that is sent is accepted', () => {
      expect(judged().flatMap(({ one, sent }) => (sent?.error === null ? [] : [[one.id, sent?.error]]))).toEqual([])
    })

    test('no wrong body is allowed, unless its keyword is reported as not enforced', () => {
      expect(judged().flatMap(({ one, sent }) => acceptedWrong(one, sent))).toEqual([])
    })

    test('every right body is allowed, except for those that outlines is known to refuse', () => {
      const known = NARROWER.filter((one) => (one.kind ?? kind) === kind).flatMap(({ cases }) => cases)
      const refused = judged().flatMap(({ one, sent }) => refusedRight(one, sent))
      const isKnown = (one: (typeof refused)[number]): boolean => one.backend === 'other' && known.includes(one.name)
      expect(refused.filter((one) => !isKnown(one))).toEqual([])
      // A version that begins to allow them makes the list wrong, too.
      expect(known.filter((name) => !refused.some((one) => isKnown(one) && one.name === name))).toEqual([])
    })

    test.each(['xgrammar', 'other'] as const)(
      'every keyword that %s is not sent, and is not known to hold, lets a wrong body through',
      (name) => {
        const held = heldAllTheSame(judged().filter(({ one }) => one.backend === name))
        expect(held.toSorted()).toEqual(HELD_ALL_THE_SAME[kind]?.[name]?.toSorted())
      },
    )
  })
}

async function judgedCases(kind: Kind, asked: readonly AskedCase[]): Promise<readonly JudgedCase[]> {
  const folder = mkdtempSync(join(tmpdir(), 'keywords-'))
  const file = join(folder, 'asked.json')
  const questions = asked.flatMap(({ sent, native }) => (native === undefined ? [sent] : [sent, native]))
  writeFileSync(file, JSON.stringify(questions))
  const program = fileURLToPath(new URL('keywords.py', import.meta.url))
  const { stdout } = await promisify(execFile)(join(environmentOf(kind), 'bin', 'python'), [program, file], {
    maxBuffer: 64 * 1024 * 1024,
  })
  rmSync(folder, { recursive: true })
  const { versions, judged }: Answer = JSON.parse(stdout)
  const bodies = asked.reduce((sum, { sent }) => sum + sent.bodies.length, 0)
  console.log(`${kind} ${JSON.stringify(versions)}: ${asked.length} constraints, ${bodies} bodies`)
  let at = 0
  return asked.map((one) => ({
    ...{ one, sent: judged[at++] },
    native: one.native === undefined ? undefined : judged[at++],
  }))
}
