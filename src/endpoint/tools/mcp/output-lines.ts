/** Longer lines are cut. In UTF-16 code units. */
const MAX_LINE_LENGTH = 1_000
/**
 * The maximum number of lines per chunk of output, which has at most 64 KiB. The others are counted: a program in a
 * loop would fill the log.
 */
const MAX_LINES = 50

/**
 * Splits a program's output into lines, for a log. It buffers at most one line, up to the limit.
 *
 * @param take - receives each line without its end, as the program wrote it: including terminal control characters
 * @returns takes the next chunk; `end` after the last one
 */
export function outputLines(take: (line: string) => void): { push(piece: Uint8Array): void; end(): void } {
  const decoder = new TextDecoder()
  let line = ''
  /** Set while the line exceeds the limit and its beginning was taken. */
  let isCut = false

  function add(part: string): void {
    if (isCut) return
    line += part.slice(0, MAX_LINE_LENGTH + 1)
    if (line.length <= MAX_LINE_LENGTH) return
    isCut = true
    line = `${line.slice(0, MAX_LINE_LENGTH)}…`
  }

  function endLine(): string {
    const whole = line.endsWith('\r') ? line.slice(0, -1) : line
    line = ''
    isCut = false
    return whole
  }

  return {
    push(piece) {
      const parts = decoder.decode(piece, { stream: true }).split('\n')
      const last = parts.pop() ?? ''
      let taken = 0
      for (const part of parts) {
        add(part)
        const whole = endLine()
        if (whole === '') continue
        taken++
        if (taken <= MAX_LINES) take(whole)
      }
      if (taken > MAX_LINES) take(`(${taken - MAX_LINES} more lines)`)
      add(last)
    },
    end() {
      if (line !== '') take(endLine())
    },
  }
}
