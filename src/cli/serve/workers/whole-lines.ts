import type { Readable } from 'node:stream'

/** The maximum number of characters of a line: a longer one is divided. */
export const MAX_LINE = 1_000_000

/**
 * Passes on what a process prints, in whole lines: the lines of several processes do not mix.
 *
 * @param write - receives one or more whole lines
 * @returns when the stream has ended
 */
export async function forwardLines(stream: Readable, write: (lines: string) => void): Promise<void> {
  stream.setEncoding('utf8')
  let rest = ''
  for await (const text of stream) {
    const whole = `${rest}${text}`
    const end = whole.lastIndexOf('\n') + 1
    if (end > 0) write(whole.slice(0, end))
    rest = whole.slice(end)
    if (rest.length < MAX_LINE) continue
    write(`${rest}\n`)
    rest = ''
  }
  if (rest !== '') write(`${rest}\n`)
}
