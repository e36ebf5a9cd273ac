import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { checkEvents, PROFILES } from '../../../src/judge/conformance/index.js'

const folder = new URL('../../../fixtures/', import.meta.url)
const fixtures = readdirSync(folder).filter((file) => file.endsWith('.events.jsonl'))
const read = (file: string): never[] =>
  readFileSync(new URL(file, folder), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as never)

// Open Responses words some of these events otherwise: see test/judge/conformance/schemas.
describe.each(PROFILES.filter((profile) => profile !== 'open-responses'))('under %s', (profile) => {
  test.each(fixtures)('the fixture %s has no fault of the server', (file) => {
    const faults = checkEvents(read(file), { profile }).filter(
      ({ severity, fault }) => severity === 'error' && fault === 'server',
    )
    expect(faults).toEqual([])
  })
})
