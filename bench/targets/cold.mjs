import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, median } from '../measure.mjs'

/** @type {import('../target.mjs').Target} */
export default {
  name: 'cold',
  measures:
    'from a fresh process to the library, and to the first token as text; elapsed time. Commands: processor time',
  target:
    'the core imported within 20 ms, without the token table; the first token within 60 ms; --help 60 ms beyond Node, ' +
    'check of a small file 150 ms, serve to its first answer 300 ms',

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
    const imports = PROGRAMS.map(({ name, figure, atMost }) => ({
      figure,
      value: median(samples.get(name)),
      unit: 'ms',
      ...(atMost && { atMost }),
    }))
    return [...imports, ...(await commands(rounds))]
  },
}

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const NODE_ALONE = 'Node alone'
const HELP = '--help, beyond Node'

/** Measures commands by processor time: other work on the machine, and the disk, change their elapsed time too much. */
async function commands(rounds) {
  const fixture = fileURLToPath(new URL('../../fixtures/plain-answer.events.jsonl', import.meta.url))
  const server = new URL('../../dist/endpoint/server/node.js', import.meta.url).href
  const runs = [
    [NODE_ALONE, () => processorTime(['-e', '0'])],
    [HELP, () => processorTime([MAIN, '--help'])],
    ['check of a small file', () => processorTime([MAIN, 'check', fixture])],
    ['import server/node', () => processorTime(['-e', `import(${JSON.stringify(server)})`])],
    ['serve --replay, to its first answer', firstAnswer],
  ]
  const samples = new Map(runs.map(([figure]) => [figure, []]))
  for (let round = 0; round < rounds; round++) {
    for (const [figure, run] of runs) samples.get(figure).push(await run())
  }
  const value = (figure) => median(samples.get(figure))
  const limits = { 'check of a small file': 150, 'serve --replay, to its first answer': 300 }
  return runs.map(([figure]) =>
    figure === HELP
      ? { figure, value: value(figure) - value(NODE_ALONE), unit: 'ms of processor time', atMost: 60 }
      : {
          figure,
          value: value(figure),
          unit: 'ms of processor time',
          ...(limits[figure] && { atMost: limits[figure] }),
        },
  )
}

const WITH_CLOCK = ['--import', new URL('../programs/processor-time.mjs', import.meta.url).href]
const PRINTED = /processor time ([\d.]+)/

/** The processor time of a process that ends by itself, in milliseconds. */
async function processorTime(args) {
  const { stderr } = await promisify(execFile)(process.execPath, [...WITH_CLOCK, ...args])
  return Number(PRINTED.exec(stderr)[1])
}

/** The processor time of a server until it has answered a request with a recording. */
async function firstAnswer() {
  const args = [...WITH_CLOCK, MAIN, 'serve', '--replay', '--port', '0']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const exit = new Promise((resolve) => child.once('exit', resolve))
  try {
    const [, url] = await printed(child.stdout, /listens on (\S+)\/v1/)
    const body = JSON.stringify({ input: 'What is the capital of France?', stream: true })
    const headers = { 'content-type': 'application/json' }
    const answer = await (await fetch(`${url}/v1/responses`, { method: 'POST', headers, body })).text()
    expect(answer.includes('event: response.completed'), 'serve did not answer')
    const time = printed(child.stderr, PRINTED)
    child.kill('SIGUSR2')
    return Number((await time)[1])
  } finally {
    child.kill('SIGKILL')
    await exit
  }
}

/** The first match in what a stream prints from now on. */
function printed(stream, pattern) {
  return new Promise((resolve, reject) => {
    let text = ''
    stream.on('data', (piece) => {
      text += piece
      const match = pattern.exec(text)
      if (match !== null) resolve(match)
    })
    stream.once('end', () => reject(new Error(`printed nothing like ${pattern}: ${text.slice(0, 500)}`)))
  })
}

const PROGRAMS = [
  // The target stays, although a slower machine took 22.6 ms: elapsed time of a fresh process depends on the machine's
  // speed.
  { name: 'core', figure: 'import the core', atMost: 20 },
  { name: 'first-token', figure: 'import the core and the table, translate a first token', atMost: 60 },
  { name: 'official', figure: 'the official parser (wasm): load it, parse a first token' },
  { name: 'gpt-tokenizer', figure: 'gpt-tokenizer: import o200k_harmony, decode a first token' },
]

/** Runs a program in a separate process, as its users would. Returns its output. */
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
