import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { atOnce } from '../../src/slices.js'
import { heldBy, sentTo } from '../../src/sources/structured-outputs/fit-constraint.js'
import { environmentOf, FOLDER, obstacle } from './install.js'
import { everyRest } from './rests.js'
import { STRICT_BODIES } from './strict-bodies.js'
import { STRICT_SCHEMAS } from './strict-schemas.js'

/** In the median over the tokens of a body: processor time, so that a busy machine counts for little. */
const MOST_MS = 1
/**
 * Known slower masks, in ms as measured: guidance walks through all tokens where a string may be full within ten characters or has
 * a pattern. The form does not matter: one regular expression, and its own JSON Schema, take as long.
 */
const SLOW: Readonly<Record<string, number>> = {
  ...{ 'guidance loosePattern': 3, 'guidance lengths': 3, 'guidance nullable': 2, 'guidance email': 2 },
}

interface Asked {
  readonly schema: string
  readonly backend: 'xgrammar' | 'guidance'
  readonly kind: string
  readonly text: string
  readonly body: string
}

interface Timed {
  readonly masks: readonly number[]
  readonly refused: number | null
  readonly error: string | null
}

const missing = obstacle('vllm')

describe.skipIf(missing !== undefined)(`masks${missing === undefined ? '' : ` (skipped: ${missing})`}`, () => {
  const asked = everythingSent()
  let timed: readonly Timed[] = []
  beforeAll(() => {
    const folder = mkdtempSync(join(tmpdir(), 'masks-'))
    const file = join(folder, 'asked.json')
    writeFileSync(file, JSON.stringify(asked))
    const program = fileURLToPath(new URL('masks.py', import.meta.url))
    const options: ExecFileSyncOptionsWithStringEncoding = {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'ignore'],
    }
    timed = JSON.parse(
      execFileSync(join(environmentOf('vllm'), 'bin', 'python'), [program, join(FOLDER, 'sure'), file], options),
    )
    rmSync(folder, { recursive: true })
  })

  test('both libraries read all that they are sent, and allow the body', () => {
    const faults = asked.flatMap(({ schema, backend, body }, at) => {
      const { refused, error } = timed[at] ?? expect.fail('not timed')
      return refused === null && error === null ? [] : [`${backend} ${schema}: ${body}: ${error ?? refused}`]
    })
    expect(faults).toEqual([])
  })

  test('the mask of a token takes a millisecond at most, except for the known slower ones', () => {
    const longest = new Map<string, number>()
    const slow = asked.flatMap(({ schema, backend, body }, at) => {
      const median = medianOf(timed[at]?.masks ?? [])
      const name = `${backend} ${schema}`
      longest.set(name, Math.max(longest.get(name) ?? 0, median))
      return median <= (SLOW[name] ?? MOST_MS) ? [] : [`${name}: ${body}: ${median}`]
    })
    const shown = [...longest].filter(([, ms]) => ms > MOST_MS).map(([name, ms]) => `${name} ${ms.toFixed(1)}`)
    console.log(`masks of more than ${MOST_MS} ms: ${shown.join(', ') || 'none'}`)
    expect(slow).toEqual([])
  })
})

/** What each backend is sent for each schema, and for the rest of a body from each of its tokens on. */
function everythingSent(): readonly Asked[] {
  const whole = Object.entries(STRICT_BODIES).map(([schema, body]) => ({
    schema,
    after: JSON.stringify(body),
    constraint: { jsonSchema: STRICT_SCHEMAS[schema] ?? {} },
  }))
  return (['xgrammar', 'guidance'] as const).flatMap((backend) => {
    const held = heldBy(backend, { hasLark: true })
    return [...whole, ...everyRest()].map(({ schema, after, constraint: given }): Asked => {
      const { constraint } = atOnce(held.fit?.(given) ?? raise('it fits nothing'))
      const sent = sentTo(backend, constraint ?? raise(`${schema}: nothing is held`))
      const text = sent.kind === 'json' ? JSON.stringify(sent.schema) : sent.text
      return { schema, backend, kind: sent.kind, text, body: after }
    })
  })
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [low = Number.NaN, high = Number.NaN] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return (low + high) / 2
}

function raise(message: string): never {
  throw new Error(message)
}
