/** Measures an incomplete WebSocket message from the bytes of its connection (RFC 6455, 5.2). */
export interface FrameMeter {
  /** Reads the next bytes, cut anywhere. Violations of the protocol are left to the reader of the messages. */
  push(chunk: Uint8Array): void
  /** Bytes of the message so far. */
  readonly bytes: number
  /** Frames of the message so far, each of which costs an object. */
  readonly fragments: number
}

const FINAL = 0x80
const OPCODE = 0x0f
const MASKED = 0x80
const LENGTH = 0x7f
/** From this opcode on, frames control the connection: pings, and its end. They may stand between fragments. */
const FIRST_CONTROL = 0x8

export function createFrameMeter(): FrameMeter {
  let bytes = 0
  let fragments = 0
  /** The header of the current frame: its first two bytes, the length if it is long, and the mask. */
  const header: number[] = []
  let headerLength = 2
  let isControl = false
  let isFinal = false
  /** The missing bytes of the frame's payload. */
  let missing = 0

  function readHeader(byte: number): void {
    header.push(byte)
    if (header.length === 2) headerLength = 2 + lengthBytes(byte & LENGTH) + ((byte & MASKED) === 0 ? 0 : 4)
    if (header.length < headerLength) return
    const [first = 0, second = 0] = header
    isControl = (first & OPCODE) >= FIRST_CONTROL
    isFinal = (first & FINAL) !== 0
    missing = second & LENGTH
    const long = lengthBytes(missing)
    if (long > 0) missing = header.slice(2, 2 + long).reduce((length, next) => length * 256 + next, 0)
    if (!isControl) fragments += 1
    header.length = 0
    headerLength = 2
    if (missing === 0) endFrame()
  }

  function endFrame(): void {
    if (isControl || !isFinal) return
    bytes = 0
    fragments = 0
  }

  return {
    get bytes() {
      return bytes
    },
    get fragments() {
      return fragments
    },
    push(chunk) {
      for (let at = 0; at < chunk.length; ) {
        if (missing === 0) {
          readHeader(chunk[at] as number)
          at += 1
          continue
        }
        const here = Math.min(missing, chunk.length - at)
        if (!isControl) bytes += here
        missing -= here
        at += here
        if (missing === 0) endFrame()
      }
    },
  }
}

/** Returns how many bytes after the first two encode the length of a frame. */
function lengthBytes(short: number): number {
  if (short === 126) return 2
  return short === 127 ? 8 : 0
}
