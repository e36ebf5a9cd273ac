import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'esbuild'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { merged } from '../../src/shared/merged.js'
import { RUNS } from '../support/runs.js'

const name = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'toString'), fc.string({ maxLength: 3 }))
const fields = fc
  .array(fc.tuple(name, fc.jsonValue({ maxDepth: 1 })), { maxLength: 6 })
  .map((entries) => Object.fromEntries(entries))

describe('merged objects', () => {
  test('merged objects have the fields, in the order, of a literal with two spreads', () => {
    fc.assert(
      fc.property(fields, fields, (base, more) => {
        const made = merged(Object.freeze(base), Object.freeze(more))
        expect(Object.entries(made)).toEqual(Object.entries({ ...base, ...more }))
        expect(Object.getPrototypeOf(made)).toBe(Object.prototype)
      }),
      { numRuns: RUNS },
    )
  })

  test('merged objects of the same fields have one hidden class', () => {
    const source = readFileSync(fileURLToPath(new URL('../../src/shared/merged.ts', import.meta.url)), 'utf8')
    const { code } = transformSync(source, { loader: 'ts' })
    const program = `
      ${code.replace(/^export /m, '')}
      const made = Array.from({ length: 2_000 }, (_, at) => merged({ at, text: 'a' }, { list: [at], text: 'b' }))
      console.log(made.filter((one) => !%HaveSameMap(one, made[0])).length)
    `
    const printed = execFileSync(process.execPath, ['--allow-natives-syntax', '--eval', program])
    expect(printed.toString()).toBe('0\n')
  })
})
