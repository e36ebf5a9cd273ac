import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { readStreams } from '../../../src/judge/conformance/read-streams.js'
import { anyStream, endReason, run, runBroken } from '../../laws/streams.js'
import type { WireEvent } from './damages.js'

/** A stream as a server sent it, or as we make it. */
export interface NamedStream {
  /** Finds it again: `fixture two-calls`, `generated 17`, `captured openai/FILE.sse 0`. */
  readonly name: string
  readonly events: readonly WireEvent[]
}

const fixtures = new URL('../../../fixtures/', import.meta.url)

/** The fixtures of this repository. */
export function fixtureStreams(): NamedStream[] {
  return readdirSync(fixtures)
    .filter((file) => file.endsWith('.events.jsonl'))
    .sort()
    .map((file) => ({
      name: `fixture ${file.replace('.events.jsonl', '')}`,
      events: readStreams(readFileSync(new URL(file, fixtures), 'utf8'))[0] as readonly WireEvent[],
    }))
}

/** The translator's events for transcripts, good and bad, with all options; cut off, filtered, failed, aborted and cancelled. */
export function generatedStreams(count: number, seed: number): NamedStream[] {
  const arbitrary = fc.record({
    stream: anyStream(),
    whole: fc.boolean(),
    reason: endReason,
    fate: fc.constantFrom('ends', 'ends', 'ends', 'ends', 'ends', 'fails', 'aborts', 'cancels'),
    at: fc.nat(60),
  })
  return fc.sample(arbitrary, { numRuns: count, seed }).map(({ stream, whole, reason, fate, at }, index) => {
    const setup = { ...stream.setup, calls: whole ? ('whole' as const) : ('live' as const) }
    const { events } = fate === 'ends' ? run(stream.chunks, setup, reason) : runBroken({ ...stream, setup }, at, fate)
    // As they come over the wire.
    return { name: `generated ${index}`, events: JSON.parse(JSON.stringify(events)) as WireEvent[] }
  })
}

/** Genuine streams of other servers, where HARMONY_SHARED is the folder of them; none without it. */
export function capturedStreams(): NamedStream[] {
  const shared = process.env['HARMONY_SHARED']
  if (shared === undefined || !existsSync(join(shared, 'data/captured'))) return []
  return ['openai', 'azure', 'lmstudio', 'more'].flatMap((folder) => {
    const path = join(shared, 'data/captured', folder)
    return readdirSync(path)
      .filter((file) => /\.(txt|sse|jsonl)$/.test(file))
      .sort()
      .flatMap((file) =>
        streamsIn(join(path, file)).map((events, index) => ({
          name: `captured ${folder}/${file} ${index}`,
          events: events as readonly WireEvent[],
        })),
      )
  })
}

/** The streams of a file; empty if its recorder cut it off within an event. */
function streamsIn(path: string): readonly (readonly unknown[])[] {
  try {
    return readStreams(readFileSync(path, 'utf8'))
  } catch {
    return []
  }
}
