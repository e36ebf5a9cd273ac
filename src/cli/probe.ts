import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { PROFILES, type Profile } from '../judge/conformance/index.js'
import { CannotReach, type Probe, probe as probeServer, type ScenarioResult } from '../judge/probe/index.js'
import { HarmonyResponsesError } from '../shared/errors.js'
import { printJunit } from './probe-junit.js'
import { HELP, OPTIONS } from './probe-options.js'
import { createProbeTable } from './probe-table.js'
import { plain } from './terminal-text.js'
import type { Screen } from './timeline-layout.js'

/** The command's access to the world. */
export interface ProbeIo {
  readonly screen: Screen
  print(text: string): Promise<void>
  complain(text: string): void
}

/** Additional access, which tests replace. */
export interface ProbeWorld {
  readonly fetch?: typeof globalThis.fetch
  readonly writeFile?: (path: string, text: string) => Promise<void>
  readonly signal?: AbortSignal
}

/**
 * Runs `harmony-responses probe`.
 *
 * @param argv - the arguments after the command
 * @returns the exit code: 0; 1 if a scenario fails; 2 for wrong usage or an unreachable server
 */
export async function runProbe(argv: readonly string[], io: ProbeIo, world: ProbeWorld = {}): Promise<number> {
  try {
    return await execute(argv, io, world)
  } catch (error) {
    if (isClosed(error)) return 0
    const isTold = error instanceof Usage || error instanceof CannotReach || error instanceof HarmonyResponsesError
    if (!isTold) throw error
    io.complain(`harmony-responses: probe: ${plain(error.message.replace(/\s+/g, ' '))}\n`)
    return 2
  }
}

/** A command line with wrong usage. */
class Usage extends Error {}

async function execute(argv: readonly string[], io: ProbeIo, world: ProbeWorld): Promise<number> {
  const { values, positionals } = parse(argv)
  if (values.help) {
    await io.print(HELP)
    return 0
  }
  const [url, ...others] = positionals
  if (url === undefined || others.length > 0) throw new Usage(`expected one URL, got ${positionals.length}`)
  const { json, junit } = values
  if (json && junit === '-') throw new Usage('--junit -: expected a file beside --json, both cannot be printed')
  const isSilent = json || junit === '-'
  const table = createProbeTable(io.screen)

  const { fetch, signal } = world
  const started = await probeServer({
    url,
    headers: headersOf(values.header),
    only: values.only,
    profile: profileOf(values.profile),
    timeout: millisecondsOf(values.timeout),
    ...(values.model === undefined ? {} : { model: values.model }),
    ...(fetch === undefined ? {} : { fetch }),
    ...(signal === undefined ? {} : { signal }),
  })
  const results: ScenarioResult[] = []
  for await (const result of started.results) {
    if (!isSilent) await io.print(`${results.length === 0 ? table.head(started) : ''}${table.line(result)}`)
    results.push(result)
  }
  if (json) await io.print(`${JSON.stringify(inJson(started, results))}\n`)
  else if (!isSilent) await io.print(table.foot(results))
  if (junit !== undefined) await writeJunit(junit, printJunit(started, results), io, world)
  return results.some(({ verdict }) => verdict === 'fail') ? 1 : 0
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

async function writeJunit(path: string, text: string, io: ProbeIo, world: ProbeWorld): Promise<void> {
  if (path === '-') return io.print(text)
  try {
    await (world.writeFile ?? writeFile)(path, text)
  } catch (error) {
    throw new Usage(`cannot write ${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

type Values = ReturnType<typeof parse>['values']

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: OPTIONS,
    })
  } catch (error) {
    // The first sentence is followed by advice for other cases.
    throw new Usage(error instanceof Error ? error.message.split(/\.?\n|\. /)[0] : String(error), { cause: error })
  }
}

/** Parses `Name: value`. The message quotes nothing, since it may be a key. */
function headersOf(lines: Values['header']): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':')
      if (at <= 0) throw new Usage("--header: expected 'Name: value', got text without a name and a colon")
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    }),
  )
}

function profileOf(given: string): Profile {
  const profile = PROFILES.find((each) => each === given)
  if (profile !== undefined) return profile
  throw new Usage(`--profile: expected one of ${PROFILES.join(', ')}, got ${JSON.stringify(given)}`)
}

function millisecondsOf(seconds: string): number {
  const milliseconds = Number(seconds) * 1000
  if (seconds.trim() !== '' && Number.isFinite(milliseconds) && milliseconds > 0) return milliseconds
  throw new Usage(`--timeout: expected a number of seconds greater than 0, got ${JSON.stringify(seconds)}`)
}

/** Whether the reader of standard output is gone. */
function isClosed(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE'
}
