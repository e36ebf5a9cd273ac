/** The maximum length of a passage in UTF-16 units, about 400 tokens. */
const MAX_LENGTH = 1_600

/** A heading begins a passage of its own if the one before it has this length. */
const SHORTEST_BEFORE_HEADING = MAX_LENGTH / 4

const HEADING = /^#{1,6} /

/** Splits a text into passages of whole paragraphs, as far as they fit. */
export function* passagesOf(text: string): Generator<string> {
  let passage = ''
  for (const paragraph of text.split(/\n[^\S\n]*\n/)) {
    for (const piece of piecesOf(paragraph.trimEnd())) {
      const isFull = passage.length + 2 + piece.length > MAX_LENGTH
      const isSection = HEADING.test(piece) && passage.length >= SHORTEST_BEFORE_HEADING
      if (passage !== '' && (isFull || isSection)) {
        yield passage
        passage = ''
      }
      passage += passage === '' ? piece : `\n\n${piece}`
    }
  }
  if (passage !== '') yield passage
}

/** Cuts a long paragraph between words, or else between characters. */
function* piecesOf(paragraph: string): Generator<string> {
  let from = 0
  while (paragraph.length - from > MAX_LENGTH) {
    const piece = paragraph.slice(from, from + MAX_LENGTH)
    const space = piece.search(/\s\S*$/)
    const end = space > MAX_LENGTH / 2 ? space + 1 : piece.replace(/[\ud800-\udbff]$/, '').length
    yield piece.slice(0, end)
    from += end
  }
  const rest = paragraph.slice(from)
  if (rest.trim() !== '') yield rest
}
