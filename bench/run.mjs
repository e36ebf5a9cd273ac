// Runs the suite and prints every figure; see README.md.
//
//   node bench/run.mjs [--only NAME]... [--row TEXT] [--json] [--smoke]
import { execFile } from 'node:child_process'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { createMeasure } from './measure.mjs'
import { isMet, TARGETS } from './target.mjs'

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    // Of a target whose attacks are measured one by one, only those whose names contain the text.
    row: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
    smoke: { type: 'boolean', default: false },
    // Runs one target in this process and prints its rows as JSON: how the suite calls itself.
    target: { type: 'string' },
  },
})

/**
 * The collector and the compiler work in our one thread, so that their work counts, and is not measured by how busy the
 * machine's other cores are. The young generation is as large as that of a busy server becomes.
 */
const ONE_CORE = ['--expose-gc', '--single-threaded', '--min-semi-space-size=16']

if (values.target === undefined) await runAll()
else await runOne(values.target)

async function runAll() {
  const unknown = values.only.filter((name) => !TARGETS.includes(name))
  if (unknown.length > 0) {
    console.error(`--only: expected some of ${TARGETS.join(', ')}, got ${unknown.join(', ')}`)
    process.exit(2)
  }
  const names = values.only.length > 0 ? TARGETS.filter((name) => values.only.includes(name)) : TARGETS
  const machine = { node: process.version, cpu: cpus()[0]?.model.trim() ?? 'unknown', cores: cpus().length }
  if (!values.json) console.log(`Node ${machine.node}, ${machine.cores} cores, ${machine.cpu}`)
  const results = []
  for (const name of names) {
    const started = performance.now()
    const result = await inProcessOfItsOwn(name)
    result.seconds = Number(((performance.now() - started) / 1000).toFixed(1))
    results.push(result)
    if (!values.json) print(result)
  }
  const failed = results.filter(({ error }) => error !== undefined)
  if (values.json) console.log(JSON.stringify({ ...machine, smoke: values.smoke, targets: results }, null, 2))
  else summarize(results)
  process.exitCode = failed.length === 0 ? 0 : 1
}

/** Runs one target in a process of its own, because the code and garbage of one would slow down the next. */
async function inProcessOfItsOwn(name) {
  const program = [
    fileURLToPath(import.meta.url),
    '--target',
    name,
    '--row',
    values.row,
    ...(values.smoke ? ['--smoke'] : []),
  ]
  const args = [...ONE_CORE, ...program]
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 26 })
    return JSON.parse(stdout)
  } catch (error) {
    return { name, error: String(error.stderr || error.message).trim() }
  }
}

async function runOne(name) {
  const { default: target } = await import(`./targets/${name}.mjs`)
  const found = await target.run(createMeasure({ smoke: values.smoke, row: values.row }))
  const about = { name, measures: target.measures, target: target.target }
  if (!Array.isArray(found)) return console.log(JSON.stringify({ ...about, rows: [], skipped: found.skipped }))
  const rows = found.map((row) => (values.smoke ? row : { ...row, met: isMet(row) }))
  console.log(JSON.stringify({ ...about, rows }))
}

function print({ name, measures, target, rows, seconds, error, skipped }) {
  console.log(`\n${name} (${seconds} s)`)
  if (error !== undefined) {
    console.log(`  FAILED\n  ${error.replaceAll('\n', '\n  ')}`)
    return
  }
  console.log(`  ${measures}\n  target: ${target}`)
  if (skipped !== undefined) console.log(`  skipped: ${skipped}`)
  else if (values.smoke) console.log(`  ${rows.length} figures, every result right; not timed`)
  else for (const row of rows) console.log(`    ${lineOf(row)}`)
}

function lineOf({ figure, value, unit, atLeast, atMost, met, note = '' }) {
  const asked = atLeast !== undefined ? `>= ${atLeast}` : atMost !== undefined ? `<= ${atMost}` : ''
  const verdict = met === undefined ? '' : met ? 'met' : 'MISSED'
  const cells = [
    figure.padEnd(56),
    `${format(value)} ${unit}`.padStart(14),
    asked.padStart(12),
    verdict.padEnd(6),
    note,
  ]
  return cells.join('  ').trimEnd()
}

function format(value) {
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en-US')
  return value.toFixed(2)
}

function summarize(results) {
  const failed = results.filter(({ error }) => error !== undefined).map(({ name }) => name)
  if (failed.length > 0) console.log(`\nwrong results or errors: ${failed.join(', ')}`)
  if (values.smoke) return
  const judged = results.flatMap(({ rows = [] }) => rows).filter(({ met }) => met !== undefined)
  console.log(`\n${judged.filter(({ met }) => met).length} of ${judged.length} targets met`)
}
