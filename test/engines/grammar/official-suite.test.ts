import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { compileSchema, InvalidSchema, type MatcherState, matcherOf } from '../../../src/engines/grammar/index.js'
import { atOnce } from '../../../src/shared/slices.js'
import { FLOOR } from './official-suite-floor.js'
import { allows } from './walk.js'

/** A folder of JSON-Schema-Test-Suite: `tests/draft2020-12`. */
const folder = process.env['JSON_SCHEMA_TEST_SUITE']
const isThere = folder !== undefined && existsSync(folder)
if (!isThere) console.info('The official suite of JSON Schema is skipped: JSON_SCHEMA_TEST_SUITE names no folder.')

interface Case {
  readonly schema: unknown
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[]
}

/** Undefined for a schema of which something is relaxed, or that points out of itself. */
function matcherOfWhole(schema: unknown): MatcherState | undefined {
  try {
    const { grammar, relaxed } = atOnce(compileSchema(schema))
    return relaxed.length === 0 ? atOnce(matcherOf(grammar)) : undefined
  } catch (error) {
    if (error instanceof InvalidSchema) return undefined
    throw error
  }
}

describe.skipIf(!isThere)('the official suite of JSON Schema', () => {
  const files = isThere ? readdirSync(folder).filter((name) => name.endsWith('.json')) : []

  test.each(files)('%s: nothing wrong is allowed, and no less is right than before', (file) => {
    const keyword = file.replace('.json', '')
    const wrong: string[] = []
    let right = 0
    let all = 0
    for (const { schema, tests } of JSON.parse(readFileSync(join(folder as string, file), 'utf8')) as Case[]) {
      const start = matcherOfWhole(schema)
      for (const { description, data, valid } of tests) {
        all += 1
        if (start === undefined) continue
        const isAllowed = allows(start, JSON.stringify(data))
        if (isAllowed === valid) right += 1
        else if (isAllowed) wrong.push(description)
      }
    }
    if (process.env['PRINT_COUNTS'] !== undefined) console.info(`  '${keyword}': ${right}, // of ${all}`)
    expect(wrong).toEqual([])
    expect(right).toBeGreaterThanOrEqual(FLOOR[keyword] ?? 0)
  })
})
