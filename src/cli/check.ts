import { API_NAMES } from '../judge/conformance/api.js'
import type { CheckOptions } from '../judge/conformance/check.js'
import { createCaptureChecker, type Finding } from '../judge/conformance/check-capture.js'
import { type AnyProfile, apiOf } from '../judge/conformance/profiles.js'
import { type CheckedStream, createCheckedStream, type StreamJson } from './check-report.js'
import { complaint, errorCode, type Io, nameOf, UsageError, unreadable } from './io.js'
import { plain } from './terminal-text.js'
import { unpacked } from './unpacked.js'

/** The values of `check`'s options, by name. */
export interface CheckValues {
  readonly profile: AnyProfile
  readonly resumed: boolean
  readonly json: boolean
}

/** Checks files. Returns the exit code. */
export async function checkFiles(
  { profile, json, resumed }: CheckValues,
  files: readonly string[],
  io: Io,
): Promise<number> {
  if (resumed && apiOf(profile) !== 'responses') {
    throw new UsageError(`check: --resumed is for the Responses API, not for --profile ${profile}`)
  }
  let worst = 0
  for (const file of files) {
    const isOneOfMany = files.length > 1
    const output = json ? asJson(file, isOneOfMany, profile, io) : inWords(file, isOneOfMany, profile, io)
    worst = Math.max(worst, await checkFile(file, { profile, resumed }, output, io))
  }
  return worst
}

/** The output of a file's check. Each method returns the text to print, if any. */
interface Output {
  take(finding: Finding): string | undefined
  /** `isStream`: whether the file contained at least one stream. */
  end(isStream: boolean): string | undefined
}

/** Returns the exit code: 2 if there is no stream, 1 if one breaks a rule. */
async function checkFile(file: string, options: CheckOptions, output: Output, io: Io): Promise<number> {
  const checker = createCaptureChecker(options)
  let streams = 0
  let isGood = true
  /** Descriptions of the file, for one without a stream. */
  const reasons: string[] = []

  async function print(text: string | undefined): Promise<void> {
    if (text !== undefined && text !== '') await io.print(text)
  }
  async function take(findings: readonly Finding[]): Promise<void> {
    // Printed once per chunk: a write for each line would take longer than the check.
    let text = ''
    for (const finding of findings) {
      if (finding.kind === 'stream') streams++
      if (finding.kind === 'broken') isGood = false
      if (finding.kind === 'violation' && finding.violation.severity === 'error') isGood = false
      if (reasons.length < 3) for (const reason of reasonOf(finding)) reasons.push(reason)
      text += output.take(finding) ?? ''
    }
    await print(text)
  }

  let failure: unknown
  const onGzip = (): Promise<void> => take([{ kind: 'format', format: 'gzip', description: 'gzip, unpacked', line: 1 }])
  try {
    for await (const piece of unpacked(io.pieces(file), onGzip)) await take(checker.push(piece))
  } catch (error) {
    if (errorCode(error) === 'EPIPE') throw error
    failure = unreadable(file, error)
  }
  if (failure === undefined || streams > 0) {
    // Events before a broken end are still checked.
    await take(checker.end())
    await print(output.end(streams > 0))
  }
  if (failure === undefined && streams === 0) {
    const what = reasons.length === 0 ? 'it contains no events' : reasons.join('; ')
    const api = API_NAMES[apiOf(options.profile ?? 'openai')].replace(/^the (\w+) API$/, '$1')
    failure = new UsageError(`${nameOf(file)}: no ${api} stream: ${what}`)
  }
  if (failure !== undefined) io.complain(complaint(failure))
  return failure !== undefined ? 2 : isGood ? 0 : 1
}

function reasonOf(finding: Finding): string[] {
  if (finding.kind === 'format') return [finding.description]
  return finding.kind === 'broken' ? [broken(finding)] : []
}

function broken({ line, expected, got }: Extract<Finding, { kind: 'broken' }>): string {
  return `line ${line}: expected ${expected}, got ${got}`
}

/** The maximum number of broken places that are shown. */
const SHOWN = 10

function inWords(file: string, isOneOfMany: boolean, profile: AnyProfile, { screen }: Io): Output {
  let checked: CheckedStream | undefined
  const given: string[] = []
  const breaks: string[] = []
  let breakCount = 0
  let isHeaded = false

  /** Returns the header before the first stream: the file's name and kind. */
  function head(): string {
    const words = given.splice(0).map(plain).join('; ')
    const name = isOneOfMany && !isHeaded ? `${plain(nameOf(file))}:\n` : ''
    isHeaded = true
    return words === '' ? name : `${name}read as ${words}\n`
  }

  const isLive = file === '-'
  return {
    take(finding) {
      switch (finding.kind) {
        case 'format':
          given.push(finding.description)
          return undefined
        case 'broken':
          breakCount++
          if (breaks.length < SHOWN) breaks.push(`bad_stream at ${broken(finding)}\n`)
          return isLive && checked !== undefined ? breaks[breakCount - 1] : undefined
        case 'stream':
          checked = createCheckedStream({ profile, number: finding.stream, screen })
          return head()
        case 'violation':
          checked?.add(finding.violation, finding.line)
          return isLive ? checked?.live(finding.violation, finding.line) : undefined
        case 'terminal':
          return isLive ? `line ${finding.line}: ${finding.type} after ${finding.events} events\n` : undefined
        case 'end':
          return checked?.end(finding.events)
      }
    },
    end(isStream) {
      if (!isStream) return undefined
      const more = breakCount > breaks.length ? `and ${breakCount - breaks.length} more\n` : ''
      return `${head()}${breaks.join('')}${more}`
    },
  }
}

/** The maximum number of broken places that are listed for a file. */
const LISTED = 10_000

function asJson(file: string, isOneOfMany: boolean, profile: AnyProfile, { screen }: Io): Output {
  let checked: CheckedStream | undefined
  const streams: StreamJson[] = []
  const given: object[] = []
  const breaks: object[] = []
  return {
    take(finding) {
      switch (finding.kind) {
        case 'stream':
          checked = createCheckedStream({ profile, number: finding.stream, screen })
          break
        case 'violation':
          checked?.add(finding.violation, finding.line)
          break
        case 'end':
          if (checked !== undefined) streams.push(checked.json(finding.events))
          break
        case 'format': {
          const { format, description: words, line } = finding
          given.push({ format, words, line })
          break
        }
        case 'broken': {
          const { line, expected, got } = finding
          if (breaks.length < LISTED) breaks.push({ line, expected, got })
        }
      }
      return undefined
    },
    end() {
      const named = isOneOfMany ? { file } : {}
      const read = given.length === 0 ? {} : { given }
      const bad = breaks.length === 0 ? {} : { bad_stream: breaks }
      return `${JSON.stringify({ ...named, profile, ...read, streams, ...bad })}\n`
    },
  }
}
