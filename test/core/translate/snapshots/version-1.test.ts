import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { urlCitations } from '../../../../src/core/citations/url-citations.js'
import { hostItem } from '../../../../src/core/items/index.js'
import type { ResponseStreamEvent, TranslatorSnapshot } from '../../../../src/index.js'
import { Translator } from '../../../support/translator.js'
import { withEchoesSince } from './echoes-since.js'
import { OPTIONS, STREAMS } from './streams.js'

/** The snapshots that the first version took, and the events that it gave after them. */
const TAKEN: Readonly<Record<string, { snapshot: TranslatorSnapshot; events: ResponseStreamEvent[] }>> = JSON.parse(
  readFileSync(new URL('version-1.json', import.meta.url), 'utf8'),
)

/** Returns the bytes of the first version's events, with what a request that asks for none of it has been echoed since. */
const bytesOf = (events: readonly ResponseStreamEvent[] = []): string => JSON.stringify(events.map(withEchoesSince))

const library = { urlCitations, hostItem }

test.each(Object.entries(STREAMS))(
  'a snapshot of the first version continues with the same bytes: %s',
  (name, { options, after }) => {
    const taken = TAKEN[name]
    const restored = Translator.restore(taken?.snapshot as TranslatorSnapshot, { ...OPTIONS, ...options(library) })
    expect(JSON.stringify(restored.snapshot().state)).toBe(JSON.stringify(taken?.snapshot.state))
    expect(JSON.stringify(after(restored))).toBe(bytesOf(taken?.events))
  },
)

test.each(Object.entries(STREAMS))(
  'a stream that a snapshot of the first version interrupts gives the same bytes without it: %s',
  (name, { options, before, after }) => {
    const translator = new Translator({ ...OPTIONS, ...options(library) })
    before(translator, library)
    expect(JSON.stringify(after(translator))).toBe(bytesOf(TAKEN[name]?.events))
  },
)
