import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { enforcedBy } from '../../src/engines/sources/structured-outputs/fit-constraint.js'
import { countsOf, differencesOf, judgedGrammars } from './grammar-texts.js'
import { environmentOf, FOLDER, obstacle } from './install.js'
import { keywordRows } from './keyword-rows.js'

interface Judged {
  readonly verdicts: readonly boolean[]
  readonly error: string | null
}

const BACKENDS = ['xgrammar', 'guidance'] as const
const missing = obstacle('vllm')

describe.skipIf(missing !== undefined)(`grammars${missing === undefined ? '' : ` (skipped: ${missing})`}`, () => {
  const asked = BACKENDS.map((backend) => judgedGrammars(enforcedBy(backend, { hasLark: true })))
  let judged: readonly Judged[] = []
  beforeAll(() => {
    const folder = mkdtempSync(join(tmpdir(), 'grammars-'))
    const file = join(folder, 'asked.json')
    const questions = asked.flatMap((grammars, nth) =>
      grammars.map(({ grammar, texts }) => ({ backend: BACKENDS[nth], grammar, texts: texts.map(({ text }) => text) })),
    )
    writeFileSync(file, JSON.stringify(questions))
    const program = fileURLToPath(new URL('grammars.py', import.meta.url))
    const printed = execFileSync(join(environmentOf('vllm'), 'bin', 'python'), [program, join(FOLDER, 'sure'), file], {
      ...{ encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, stdio: ['ignore', 'pipe', 'ignore'] },
    })
    judged = JSON.parse(printed)
    rmSync(folder, { recursive: true })
  })

  test.each(BACKENDS)(
    'every grammar means to %s what it means to us, except for the known ones that it cannot read',
    (backend) => {
      const nth = BACKENDS.indexOf(backend)
      const grammars = asked[nth] ?? []
      const theirs = judged.slice(nth * grammars.length, (nth + 1) * grammars.length)
      const isRead = grammars.map((_, at) => theirs[at]?.error === null)
      expect(grammars.flatMap(({ schema }, at) => (isRead[at] ? [] : [schema]))).toEqual([])
      const read = grammars.filter((_, at) => isRead[at])
      const { allowed, refused } = countsOf(read)
      console.log(`${backend}: ${read.length} grammars, ${allowed} texts that they allow, ${refused} that they refuse`)
      expect(Math.min(allowed, refused)).toBeGreaterThan(0)
      expect(
        differencesOf(
          read,
          theirs.filter((_, at) => isRead[at]).map(({ verdicts }) => verdicts),
        ),
      ).toEqual([])
    },
  )
})

keywordRows(['vllm', 'sglang'])
