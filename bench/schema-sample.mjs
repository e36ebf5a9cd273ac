// The schemas of the target `schemas`, and how one is compiled: in its own process, and in programs/compile-schemas.mjs.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cpuUsage } from 'node:process'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { SEED } from './inputs.mjs'
import { expect } from './measure.mjs'
import { schemaCases } from './schema-inputs.mjs'

/** A folder of schemas, one a file: as MaskBench has them, with `tests`, or alone. */
export const folder = process.env['JSON_SCHEMA_BENCH']

export function sampleOf(count) {
  return folder === undefined ? generated(count) : fromFolder(folder, count)
}

/** The grammar's and the taught form's own code: no subpath of the package has it. */
export async function loadGrammar() {
  const { outputFiles } = await build({
    stdin: {
      contents:
        "export * from './src/engines/grammar/index.ts'; export { typescriptOf } from './src/endpoint/prompt/schema/typescript.ts'",
      resolveDir: fileURLToPath(new URL('..', import.meta.url)),
      loader: 'ts',
    },
    ...{ bundle: true, format: 'esm', platform: 'node', write: false },
  })
  return await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`)
}

function generated(count) {
  return schemaCases(count, SEED).map(({ schema, value }) => ({ schema, tests: [{ data: value, valid: true }] }))
}

function fromFolder(path, count) {
  const digest = (name) => createHash('md5').update(name).digest('hex')
  const names = readdirSync(path).filter((name) => name.endsWith('.json'))
  expect(names.length > 0, `JSON_SCHEMA_BENCH: expected a folder with .json files, got ${path}`)
  const sample = names.map((name) => [digest(name), name]).sort(([one], [other]) => (one < other ? -1 : 1))
  return sample.slice(0, count).map(([, name]) => {
    const content = JSON.parse(readFileSync(join(path, name), 'utf8'))
    const isCase = Array.isArray(content.tests) && 'schema' in content
    return isCase ? content : { schema: content, tests: [] }
  })
}

/** Compiles a schema in slices, as engines have it done. Returns undefined where it is refused. */
export function* compiling({ writtenGrammar, UnsupportedSchema }, schema) {
  try {
    const { grammar: gbnf, relaxed } = yield* writtenGrammar({ jsonSchema: schema })
    return { gbnf, relaxed }
  } catch (error) {
    if (error instanceof UnsupportedSchema) return undefined
    throw error
  }
}

/** The milliseconds of each slice, and what was compiled. Undefined where the schema is refused. */
export function compile(grammar, schema) {
  const slices = []
  const work = compiling(grammar, schema)
  for (;;) {
    const began = now()
    const step = work.next()
    slices.push(now() - began)
    if (step.done) return step.value && { ...step.value, slices }
  }
}

/** Milliseconds of processor time, of all threads of the process. */
export function now() {
  const { user, system } = cpuUsage()
  return (user + system) / 1000
}
