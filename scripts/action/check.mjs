// Checks the captures of action.yml: the report into the log and the summary, the counts into the outputs.

import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { escaped, refuse } from './refuse.mjs'

const FAIL_ON = ['error', 'warning', 'never']
/** GitHub shows a summary of at most 1 MiB. */
const MAX_SUMMARY_CHARACTERS = 200_000

const { FILES = '', PROFILE = '', FAIL_ON: failOn = '', RUNNER_TEMP = '' } = process.env
const { GITHUB_OUTPUT = '', GITHUB_STEP_SUMMARY = '' } = process.env
const main = join(RUNNER_TEMP, 'harmony-responses/node_modules/harmony-responses/dist/cli/main.js')

if (!FAIL_ON.includes(failOn)) refuse('fail-on', `one of ${FAIL_ON.join(', ')}`, failOn)
const files = filesOf(FILES)

const { status, stdout, stderr } = check()
const report = stdout + stderr
const counts = countsOf(check('--json').stdout)
printUntrusted(report)
appendFileSync(
  GITHUB_OUTPUT,
  Object.entries(counts)
    .map(([name, count]) => `${name}=${count}\n`)
    .join(''),
)
appendFileSync(GITHUB_STEP_SUMMARY, summary())

const isBad = status === 1 || (status === 0 && failOn === 'warning' && counts.warnings > 0)
if (status !== 0 || isBad) {
  const { streams, errors, warnings } = counts
  const said = status === 2 ? stderr.trim() : `streams: ${streams}, broken rules: ${errors}, warnings: ${warnings}`
  console.log(`::error title=harmony-responses check::${escaped(said)}`)
}
process.exitCode = isBad ? (failOn === 'never' ? 0 : 1) : status

/** The files that paths and patterns name, one a line. A path that exists is none of the patterns. */
function filesOf(lines) {
  const names = lines
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (names.length === 0) refuse('files', 'a path or a pattern on each line', lines)
  return names.flatMap((name) => {
    const found = existsSync(name) ? [name] : globSync(name).sort()
    return found.length > 0 ? found : refuse('files', 'paths and patterns of files that are there', name)
  })
}

/** Runs the judge, without a shell. */
function check(...options) {
  // `-` would be standard input.
  const paths = files.map((file) => (file.startsWith('-') ? `./${file}` : file))
  const args = [main, 'check', `--profile=${PROFILE}`, ...options, '--', ...paths]
  const run = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (run.error !== undefined) throw run.error
  return { ...run, status: run.status ?? 2 }
}

/** The sums of what the judge prints for programs: a line for each file. */
function countsOf(lines) {
  const counts = { streams: 0, errors: 0, warnings: 0 }
  for (const line of lines.split('\n').filter((each) => each !== '')) {
    const { streams, bad_stream = [] } = JSON.parse(line)
    counts.streams += streams.length
    counts.errors += bad_stream.length
    for (const { errors, warnings } of streams) {
      counts.errors += errors
      counts.warnings += warnings
    }
  }
  return counts
}

/** Prints text of captures, in which the runner reads no workflow commands. */
function printUntrusted(text) {
  const token = randomUUID()
  console.log(`::stop-commands::${token}\n${text}\n::${token}::`)
}

/** The report as text of a page: its fence is longer than any in it. */
function summary() {
  const isCut = report.length > MAX_SUMMARY_CHARACTERS
  const shown = isCut ? `${report.slice(0, MAX_SUMMARY_CHARACTERS)}\n... the log has the rest` : report.trimEnd()
  const ticks = Math.max(2, ...Array.from(shown.matchAll(/`+/g), ([run]) => run.length))
  const fence = '`'.repeat(ticks + 1)
  const { streams, errors, warnings } = counts
  const table = `| streams | broken rules | warnings |\n| --- | --- | --- |\n| ${streams} | ${errors} | ${warnings} |`
  return `### harmony-responses check\n\n${table}\n\n${fence}text\n${shown}\n${fence}\n`
}
