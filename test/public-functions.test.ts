import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

/** The modules that a user can import, by their names in the package. */
const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  exports: Record<string, { default?: string } | string>
}
const MODULES = Object.entries(exports).flatMap(([name, target]) => {
  const file = typeof target === 'string' ? undefined : target.default
  return file?.startsWith('./dist/') && file.endsWith('.js') ? [[name, `../src/${file.slice(7, -3)}.ts`] as const] : []
})

/** Values that no function of this library takes, or that it has to look at before it can. */
const WRONG = [undefined, null, 'x', 7, {}, []]
const TYPED = ['HarmonyResponsesError', 'RequestError', 'EngineError']

const isClass = (value: unknown): boolean => /^class\b/.test(Function.prototype.toString.call(value))

/** Calls a function and reads the first of what it gives: the error, if any. */
async function errorOf(call: () => unknown): Promise<unknown> {
  const aWhile = new Promise((resolve) => setTimeout(resolve, 50))
  try {
    const given = await Promise.race([call(), aWhile])
    const { next } = Object(given) as { next?: () => unknown }
    if (typeof next === 'function') await Promise.race([next.call(given), aWhile])
    return undefined
  } catch (error) {
    return error
  }
}

describe.each(MODULES)('%s', (_, file) => {
  test('no function throws a raw error at an argument that it cannot take', async () => {
    const functions = Object.entries((await import(file)) as Record<string, unknown>).filter(
      ([, value]) => typeof value === 'function' && !isClass(value),
    ) as [string, (given: unknown) => unknown][]
    const raw: string[] = []
    for (const [name, call] of functions) {
      for (const wrong of WRONG) {
        const error = await errorOf(() => call(wrong))
        if (error instanceof Error && !TYPED.includes(error.name)) {
          raw.push(`${name}(${JSON.stringify(wrong)}): ${error.name}: ${error.message}`)
        }
      }
    }
    expect(raw).toEqual([])
  })
})
