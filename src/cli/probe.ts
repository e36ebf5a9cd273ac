import { dirname } from 'node:path'
import type { Profile } from '../judge/conformance/index.js'
import { CannotReach, type Probe, probe as probeServer, type ScenarioResult } from '../judge/probe/index.js'
import { HarmonyResponsesError } from '../shared/errors.js'
import { type Io, UsageError, unreadable } from './io.js'
import { printJunit } from './probe-junit.js'
import { type ProbeReport, reportOf } from './probe-report.js'
import { htmlReport, markdownReport } from './probe-report-formats.js'
import { createProbeTable } from './probe-table.js'

/** The values of `probe`'s options, by name. */
export interface ProbeValues {
  readonly model: string | undefined
  readonly header: readonly string[]
  readonly only: readonly string[]
  readonly profile: Profile
  readonly timeout: string | undefined
  readonly json: boolean
  readonly junit: string | undefined
  readonly report: string | undefined
}

/** Probes a server. Returns the exit code: 1 if a scenario fails. @throws UsageError also for an unreachable server */
export async function probeUrl(values: ProbeValues, url: string, io: Io): Promise<number> {
  try {
    return await execute(values, url, io)
  } catch (error) {
    if (!(error instanceof CannotReach || error instanceof HarmonyResponsesError)) throw error
    throw new UsageError(`probe: ${error.message}`, { cause: error })
  }
}

async function execute(values: ProbeValues, url: string, io: Io): Promise<number> {
  const { model, header, only, profile, timeout = '60', json, junit, report } = values
  if (json && junit === '-') throw new UsageError('--junit -: expected a file beside --json, both cannot be printed')
  const format = report === undefined ? undefined : formatOf(report)
  const isSilent = json || junit === '-'
  const table = createProbeTable(io.screen)
  const options = { url, headers: headersOf(header), only, profile, timeout: millisecondsOf(timeout) }
  for (const file of [report, junit]) if (file !== undefined && file !== '-') await checkWritable(file, io)
  const started = await probeServer({ ...options, ...(model !== undefined && { model }) })
  const results: ScenarioResult[] = []
  for await (const result of started.results) {
    if (!isSilent) await io.print(`${results.length === 0 ? table.head(started) : ''}${table.line(result)}`)
    results.push(result)
  }
  if (json) await io.print(`${JSON.stringify(inJson(started, results))}\n`)
  else if (!isSilent) await io.print(table.foot(results))
  if (junit !== undefined) await writeJunit(junit, printJunit(started, results), io)
  if (report !== undefined && format !== undefined) {
    const about = { version: io.version, date: io.today(), model: started.model, profile: started.profile }
    await write(report, format(reportOf(about, results)), io)
  }
  return results.some(({ verdict }) => verdict === 'fail') ? 1 : 0
}

/** The writer of a report, by the ending of its file. */
function formatOf(file: string): (report: ProbeReport) => string {
  if (/\.html$/i.test(file)) return htmlReport
  if (/\.md$/i.test(file)) return markdownReport
  throw new UsageError(`--report: expected a file that ends in .html or .md, got ${JSON.stringify(file)}`)
}

function inJson({ url, model, profile }: Probe, results: readonly ScenarioResult[]): object {
  const count = (verdict: string): number => results.filter((result) => result.verdict === verdict).length
  const summary = {
    pass: count('pass'),
    fail: count('fail'),
    inconclusive: count('inconclusive'),
    unsupported: count('unsupported'),
  }
  return { url, model, profile, summary, results }
}

async function writeJunit(path: string, text: string, io: Io): Promise<void> {
  if (path === '-') return io.print(text)
  await write(path, text, io)
}

/** Fails now, and not after ten minutes of probing. What the file has stays until there is something to write. */
async function checkWritable(path: string, io: Io): Promise<void> {
  const isFolder = await io.readFolder(path).then(
    () => true,
    () => false,
  )
  if (isFolder) throw new UsageError(`cannot write ${path}: it is a folder`)
  await io.makeFolder(dirname(path)).catch((error: unknown) => {
    throw unreadable(path, error, 'write')
  })
}

async function write(path: string, text: string, io: Io): Promise<void> {
  await io.writeFile(path, [text]).catch((error: unknown) => {
    throw unreadable(path, error, 'write')
  })
}

/** Parses `Name: value`. The message quotes nothing, since it may be a key. */
function headersOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':')
      if (at <= 0) throw new UsageError("--header: expected 'Name: value', got text without a name and a colon")
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    }),
  )
}

function millisecondsOf(seconds: string): number {
  const milliseconds = Number(seconds) * 1000
  if (seconds.trim() !== '' && Number.isFinite(milliseconds) && milliseconds > 0) return milliseconds
  throw new UsageError(`--timeout: expected a number of seconds greater than 0, got ${JSON.stringify(seconds)}`)
}
