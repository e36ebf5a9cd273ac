import { createLineFeeds } from '../../shared/line-feeds.js'

/** The most characters of a line that are shown. */
const MAX_EXCERPT = 160

/** Returns the beginnings of some lines. It reads no further than the last of them. */
export function excerptsOf(pieces: Iterable<Uint8Array>, lines: ReadonlySet<number>): Map<number, string> {
  const excerpts = new Map<number, string>()
  const last = [...lines].reduce((most, line) => Math.max(most, line), 0)
  const lineFeeds = createLineFeeds()
  let utf: TextDecoder | undefined
  let line = 1
  for (const piece of pieces) {
    utf ??= new TextDecoder(isUtf16(piece) ? 'utf-16le' : 'utf-8')
    for (const [index, part] of lineFeeds(utf.decode(piece, { stream: true }))
      .split('\n')
      .entries()) {
      if (index > 0) line += 1
      if (lines.has(line)) excerpts.set(line, ((excerpts.get(line) ?? '') + part).slice(0, MAX_EXCERPT))
    }
    if (line > last) break
  }
  return excerpts
}

/** As PowerShell writes it. */
function isUtf16([first, second]: Uint8Array): boolean {
  return first === 0xff && second === 0xfe
}
