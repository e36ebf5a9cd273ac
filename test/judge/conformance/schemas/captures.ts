import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEvent } from '../../../../src/judge/conformance/schemas/index.js'
import { sharedFolder } from '../../../support/shared-data.js'

/** A JSON object, read and changed by its keys. */
export type Json = { [key: string]: Json } & { type: string }

export const projectFixtures: string = fileURLToPath(new URL('../../../../fixtures', import.meta.url))

/** A folder of the shared data. */
export function shared(path: string): string {
  return join(sharedFolder() ?? '', 'data', path)
}

/** The files of events in a folder: one event a line, with `data: ` before it or without. */
export function eventFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((file) => /\.(chunks\.txt|events\.jsonl|jsonl)$/.test(file))
    .sort()
}

export function readEvents(folder: string, file: string): Json[] {
  const lines = readFileSync(join(folder, file), 'utf8').split('\n')
  return lines
    .map((line) => line.replace(/^data: ?/, '').trim())
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/** What is wrong with events, each kind of problem once: `TYPE PATH: expected EXPECTED, got GOT`. */
export function problemsOf(events: readonly Json[]): string[] {
  const problems = events.flatMap((event) => {
    const { problem } = parseEvent(event)
    return problem === undefined
      ? []
      : `${event.type} ${problem.path}: expected ${problem.expected}, got ${problem.got}`
  })
  return [...new Set(problems)]
}
