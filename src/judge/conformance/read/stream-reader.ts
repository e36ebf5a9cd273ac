import { checkOptions, type OptionTable } from '../../../shared/options/check-options.js'
import { oneOf, wholeNumber } from '../../../shared/options/checks.js'
import type { Api } from '../api.js'
import { CaptureReader, type ReaderInto } from './capture-reader.js'
import type { StreamRead } from './stream-read.js'

/** Options of `createStreamReader`. */
export interface StreamReaderOptions {
  /** The longest event, in UTF-16 code units. Longer ones are reported and skipped. Default 67,108,864. */
  readonly maxEventLength?: number
  /**
   * Which API the streams are of: those of the others are named as foreign. With `chat`, the chunks of Chat Completions are
   * read, as values without a type (`untyped`). Default `responses`.
   */
  readonly api?: Api
}

export const STREAM_READER_OPTIONS: OptionTable<StreamReaderOptions> = {
  maxEventLength: wholeNumber(1, Number.MAX_SAFE_INTEGER, 'UTF-16 code units'),
  api: oneOf('responses', 'chat', 'messages'),
}

/** Reads one capture piece by piece. It needs memory for one event. */
export interface StreamReader {
  /**
   * Reads the next piece: text, or bytes in UTF-8 or UTF-16, split anywhere.
   *
   * @throws HarmonyResponsesError `bad_stream` if the piece is neither text nor bytes
   */
  push(piece: string | Uint8Array): StreamRead[]
  /** Ends the capture. Returns the event of an unfinished last frame, and the framing violations of the end. */
  end(): StreamRead[]
}

/** Longer than any event with an image, and far below the longest string of JavaScript. */
const MAX_EVENT_LENGTH = 2 ** 26

/**
 * Creates a reader for captured streams: server-sent events; JSON events, one per line, over several lines or in an
 * array; the output of `curl -i` and `curl -v`; HAR files. It never throws because of the content of a capture, but
 * returns everything except events as other kinds of {@link StreamRead}.
 *
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { createStreamReader } from 'harmony-responses/conformance'
 *
 * const reader = createStreamReader()
 * for await (const piece of file) {
 *   for (const read of reader.push(piece)) if (read.kind === 'event') console.log(read.line, read.event)
 * }
 * for (const read of reader.end()) if (read.kind === 'event') console.log(read.line, read.event)
 * ```
 */
export function createStreamReader(options: StreamReaderOptions = {}): StreamReader {
  checkOptions('createStreamReader', options, STREAM_READER_OPTIONS)
  let reads: StreamRead[] = []
  const reader = readerInto(options, (read) => reads.push(read))
  const taken = (): StreamRead[] => {
    const all = reads
    if (all.length > 0) reads = []
    return all
  }
  return {
    push(piece) {
      reader.push(piece)
      return taken()
    },
    end() {
      reader.end()
      return taken()
    },
  }
}

/**
 * Creates a reader like {@link createStreamReader}, which checks the options, but passes on each event before the next
 * one is parsed: a list of them would outlive a collection of garbage.
 */
export function readerInto(
  { maxEventLength = MAX_EVENT_LENGTH, api = 'responses' }: StreamReaderOptions,
  take: (read: StreamRead) => void,
): ReaderInto {
  return new CaptureReader(maxEventLength, api, take)
}
