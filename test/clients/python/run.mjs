// Runs clients in Python against the endpoint, each in a virtual environment of its own: npm run test:clients:python
//
//     npm run test:clients:python -- [--all] [CLIENT ...]
//
// Without names: the clients that .ci/run tests. CLIENT is the name of a file of requirements/. The environments stay in
// .venv/, and are made again when their requirements change. The last line is the count of tests.

import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ended, environment } from './environment.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const known = readdirSync(join(here, 'requirements')).map((name) => name.replace(/\.txt$/, ''))
const IN_CI = [
  'openai-1',
  'openai-2',
  'openai-3',
  'openai-agents',
  'langchain',
  'pydantic-ai',
  'llama-index',
  'anthropic',
]
/** The newest openai: its types validate the answers of all, and its suite may skip nothing. */
const JUDGE = 'openai-3'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean', default: false }, report: { type: 'string' } },
})
const unknown = positionals.filter((name) => !known.includes(name))
if (unknown.length > 0) quit(`unknown client ${unknown.join(', ')}; there are ${known.join(', ')}`)
const clients = positionals.length > 0 ? positionals : values.all ? known : IN_CI

const records = join(tmpdir(), `harmony-responses-python-${process.pid}.jsonl`)
const counts = { passed: 0, failed: 0, skipped: 0 }
const rows = []
/** Why tests were skipped, one sentence each. */
const reasons = []
writeFileSync(records, '')
const server = spawn(process.execPath, [join(here, 'server.mjs'), records], { stdio: ['ignore', 'pipe', 'inherit'] })
try {
  const port = await new Promise((resolve, reject) => {
    server.stdout.once('data', (line) => resolve(Number(line)))
    server.once('exit', (code) => reject(new Error(`the server ended with ${code}`)))
  })
  const made = environments([...new Set([...clients, JUDGE])])
  for (const client of clients) await tested(client, made, [`tests/test_${client.replaceAll('-', '_')}.py`], port)
  await tested(JUDGE, made, ['tests/test_wire.py'], port, 'the answers of all')
} catch (error) {
  quit(error.message)
} finally {
  server.kill()
  rmSync(records, { force: true })
}

process.stdout.write(`\n${rows.join('\n')}\n${counts.passed} passed, ${counts.failed} failed\n`)
if (values.report !== undefined) writeReport(values.report)
process.exitCode = counts.failed === 0 ? 0 : 1

async function tested(client, made, files, port, title = client) {
  const { python, took } = await made.get(client)
  const since = Date.now()
  const report = join(tmpdir(), `harmony-responses-${client}-${process.pid}.xml`)
  // test_openai.py is the suite of all three versions of openai.
  const paths = files.map((file) => file.replace(/openai_[123]/, 'openai')).map((file) => join(here, file))
  const status = await ended(
    python,
    // -rs prints the reasons of skips, which -q leaves out.
    ['-m', 'pytest', '-q', '-rs', '-p', 'no:cacheprovider', `--junitxml=${report}`, ...paths],
    {
      cwd: here,
      env: {
        ...process.env,
        ...{ BASE: `http://127.0.0.1:${port}`, RECORDS: records, OPENAI_API_KEY: 'none', PYTHONDONTWRITEBYTECODE: '1' },
        // Clients may connect only to the test server.
        ...{ OPENAI_AGENTS_DISABLE_TRACING: '1', LANGSMITH_TRACING: 'false', DO_NOT_TRACK: '1', NO_PROXY: '127.0.0.1' },
      },
    },
  )
  const read = existsSync(report) ? readFileSync(report, 'utf8') : ''
  rmSync(report, { force: true })
  const count = (name) => Number(new RegExp(`<testsuite [^>]*\\b${name}="(\\d+)"`).exec(read)?.[1] ?? 0)
  const [total, skipped, failed] = [count('tests'), count('skipped'), count('failures') + count('errors')]
  // A suite that could not be collected has no failed test to its name: it counts as one.
  const broken = status !== 0 && failed === 0 ? 1 : failed
  // Without it, a feature that openai renames is tested by no version any more, and nothing fails.
  const missed = client === JUDGE && title === client ? skipped : 0
  const counted = broken + missed
  counts.passed += total - skipped - failed
  counts.failed += counted
  counts.skipped += skipped - missed
  if (missed === 0)
    for (const [, why] of read.matchAll(/<skipped [^>]*\bmessage="([^"]*)"/g)) reasons.push(`${title}: ${why}`)
  const seconds = (ms) => `${(ms / 1000).toFixed(0)} s`
  const times = `installed in ${seconds(took)}, ran ${seconds(Date.now() - since)}`
  rows.push(`${title}: ${total - skipped - failed} passed, ${counted} failed, ${skipped - missed} skipped (${times})`)
  if (missed > 0) rows.push(`${title}: its suite may not skip tests, and skipped ${missed}`)
}

/** Writes the part of Vitest's format that .ci/run reads. */
function writeReport(file) {
  const { passed, failed, skipped } = counts
  const assertionResults = [
    ...Array.from({ length: failed }, () => ({ status: 'failed' })),
    ...reasons.map((title) => ({ status: 'pending', title })),
  ]
  const testResults = [{ status: failed === 0 ? 'passed' : 'failed', assertionResults }]
  writeFileSync(
    file,
    JSON.stringify({ numPassedTests: passed, numPendingTests: skipped, numTodoTests: 0, testResults }),
  )
}

/**
 * The environments of clients, one after the other, each while the clients before it are tested: half of the time of an
 * installation is spent waiting for a registry.
 */
function environments(clients) {
  const made = new Map()
  let before = Promise.resolve()
  for (const client of clients) {
    before = before.then(async () => {
      const since = Date.now()
      return { python: await environment(client), took: Date.now() - since }
    })
    // Reported by the client that awaits it.
    before.catch(() => {})
    made.set(client, before)
  }
  return made
}

function quit(why) {
  process.stderr.write(`${why}\n`)
  process.exit(1)
}
