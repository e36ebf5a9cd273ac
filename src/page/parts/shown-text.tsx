import { Component, type ComponentChild, type JSX } from 'preact'

/** Characters that are invisible or turn the direction of others. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/gu
/** Those of them that a browser draws as they are meant: they part lines, and join letters and emoji. */
const MEANT: readonly string[] = ['\n', '\t', '\u00ad', '\u200c', '\u200d']

/** Whether a character stands as its number. */
export function isEscaped(character: string): boolean {
  return character.search(INVISIBLE) !== -1 && !MEANT.includes(character)
}

/** Text of others in one line: a character that would be invisible, or would reorder the line, stands as its number. */
export function shownText(text: string): ComponentChild {
  if (text.search(INVISIBLE) === -1) return text
  const parts: ComponentChild[] = []
  let from = 0
  for (const { index, 0: character } of text.matchAll(INVISIBLE)) {
    if (MEANT.includes(character)) continue
    const number = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    parts.push(
      text.slice(from, index),
      <span class="escape" title="An invisible character of the text">
        U+{number}
      </span>,
    )
    from = index + character.length
  }
  parts.push(text.slice(from))
  return parts
}

/** A passage of a text that is a link. Positions are those of UTF-16. */
export interface Link {
  readonly start: number
  readonly end: number
  readonly url: string
  readonly title: string
}

interface LineProps {
  readonly text: string
  /** Links within this line. */
  readonly links: readonly Link[]
}

/** A line, which is drawn again only if it changes: a text grows at its end. */
class Line extends Component<LineProps> {
  override shouldComponentUpdate({ text, links }: LineProps): boolean {
    return text !== this.props.text || links.length !== this.props.links.length
  }

  override render({ text, links }: LineProps): JSX.Element {
    const parts: ComponentChild[] = []
    let from = 0
    for (const { start, end, url, title } of links) {
      if (start < from) continue
      parts.push(
        shownText(text.slice(from, start)),
        <OuterLink url={url} title={title}>
          {shownText(text.slice(start, end)) || title}
        </OuterLink>,
      )
      from = end
    }
    parts.push(shownText(text.slice(from)))
    return <div class="line">{parts}</div>
  }
}

/** A link to what others name, if it leads to the web. */
export function OuterLink({
  url,
  title,
  children,
}: {
  readonly url: string
  readonly title: string
  readonly children: ComponentChild
}): JSX.Element {
  const isWeb = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
  if (!isWeb) return <span>{children}</span>
  return (
    <a href={url} title={`${title}\n${url}`} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  )
}

/** Text of others: never HTML, in its own direction, a block for each line. */
export function ShownText({
  text,
  links = [],
}: {
  readonly text: string
  readonly links?: readonly Link[]
}): JSX.Element {
  let at = 0
  return (
    <div class="text" dir="auto">
      {text.split('\n').map((line, index) => {
        const start = at
        at += line.length + 1
        const within = links.filter((link) => link.start >= start && link.end <= start + line.length)
        return <Line key={index} text={line} links={within.map((link) => moved(link, -start))} />
      })}
    </div>
  )
}

function moved({ start, end, ...rest }: Link, by: number): Link {
  return { ...rest, start: start + by, end: end + by }
}
