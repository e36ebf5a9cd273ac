import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, median } from '../measure.mjs'

/** @type {import('../target.mjs').Target} */
export default {
  name: 'cold',
  measures: 'from a fresh process to the library, and to the first token as text; elapsed time',
  target: 'the core imported within 20 ms, without the token table; the first token within 60 ms',

  async run({ rounds }) {
    expect(!(await scriptsOf('core')).some(isTable), 'the core alone loads the token table')
    expect((await scriptsOf('first-token')).some(isTable), 'the token table is not recognised')

    const samples = new Map(PROGRAMS.map(({ name }) => [name, []]))
    for (let round = 0; round < rounds; round++) {
      for (let turn = 0; turn < PROGRAMS.length; turn++) {
        const { name } = PROGRAMS[(turn + round) % PROGRAMS.length]
        samples.get(name).push(Number(await start(name)))
      }
    }
    return PROGRAMS.map(({ name, figure, atMost }) => ({
      figure,
      value: median(samples.get(name)),
      unit: 'ms',
      ...(atMost && { atMost }),
    }))
  },
}

const PROGRAMS = [
  { name: 'core', figure: 'import the core', atMost: 20 },
  { name: 'first-token', figure: 'import the core and the table, translate a first token', atMost: 60 },
  { name: 'official', figure: 'the official parser (wasm): load it, parse a first token' },
  { name: 'gpt-tokenizer', figure: 'gpt-tokenizer: import o200k_harmony, decode a first token' },
]

/** Runs a program in a process of its own, as its users would: what it prints. */
async function start(name, env = {}) {
  const program = fileURLToPath(new URL(`../programs/${name}.mjs`, import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [program], { env: { ...process.env, ...env } })
  return stdout
}

/** Every script that a program loads, as V8's coverage report lists them. */
async function scriptsOf(name) {
  const folder = await mkdtemp(join(tmpdir(), 'bench-cold-'))
  try {
    await start(name, { NODE_V8_COVERAGE: folder })
    const reports = await Promise.all((await readdir(folder)).map((file) => readFile(join(folder, file), 'utf8')))
    return reports.flatMap((report) => JSON.parse(report).result.map(({ url }) => url))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function isTable(url) {
  return /\/o200k-harmony-\w+\.js$/.test(url)
}
