import { createSseEncoder, encodeSse, type SseEvent } from '../../core/sse/index.js'
import { isLargeJson, jsonPieces } from '../../shared/json-pieces.js'
import { nextTurn } from '../flow/next-turn.js'

/** Events that are sent together. */
export type SseBatch = readonly SseEvent[]

/** Unread bytes that are not counted: the system buffers that much in any case. */
export const UNCOUNTED_BYTES = 65_536

/** A comment, which clients ignore. */
export const KEEP_ALIVE = ': keep-alive\n\n'

/** A text, or the pieces of a large one. */
export type Frames = string | Iterable<string>

/** Writes an event as frames; the empty text skips it. */
export type Encode = (event: SseEvent) => Frames

/** Writes the events of one stream as `createSseEncoder` does, and large ones in pieces. */
export function createFrameEncoder(): Encode {
  const encode = createSseEncoder()
  return (event) => (isLarge(event) ? piecesOf(event, encodeSse({ type: event.type })) : encode(event))
}

function isLarge(event: SseEvent): boolean {
  // A delta is as large as the engine's step. What is no event is left to the encoder, which refuses it.
  return typeof event?.type === 'string' && !('delta' in event) && isLargeJson(event)
}

/** @param frame - one of the same type */
function* piecesOf(event: SseEvent, frame: string): Generator<string, void, undefined> {
  yield `${frame.slice(0, frame.indexOf('\n'))}\ndata: `
  yield* jsonPieces(event)
  yield '\n\n'
}

/** Encodes events as one text of frames, or as pieces if one of them is large. */
export function framesOf(events: SseBatch, encode: Encode): Frames {
  let text = ''
  for (let at = 0; at < events.length; at++) {
    const frames = encode(events[at] as SseEvent)
    if (typeof frames !== 'string') return inPieces(text, frames, events.slice(at + 1), encode)
    text += frames
  }
  return text
}

function* inPieces(before: string, pieces: Iterable<string>, rest: SseBatch, encode: Encode): Iterable<string> {
  if (before !== '') yield before
  yield* pieces
  for (const event of rest) {
    const frames = encode(event)
    if (typeof frames !== 'string') yield* frames
    else if (frames !== '') yield frames
  }
}

/** The client of a stream. */
export interface FrameWriter {
  /** Whether the client has left. */
  readonly hasLeft: () => boolean
  /** Returns a promise if the client is behind. */
  readonly write: (text: string) => Promise<void> | undefined
}

/** Writes frames, with a pause after each piece. Returns undefined if there is nothing to wait for. */
export function writeFrames(frames: Frames, writer: FrameWriter): Promise<void> | undefined {
  if (typeof frames !== 'string') return writePieces(frames, writer)
  // An encoder may skip an event.
  return frames === '' ? undefined : writer.write(frames)
}

async function writePieces(pieces: Iterable<string>, { hasLeft, write }: FrameWriter): Promise<void> {
  for (const piece of pieces) {
    if (hasLeft()) return
    await (write(piece) ?? nextTurn())
  }
}
