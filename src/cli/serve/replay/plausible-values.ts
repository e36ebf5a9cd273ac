/** The maximum number of the user's characters that are read. */
const READ = 10_000
const QUOTED = 200

/** What a property's declaration says about its value. */
export interface Hints {
  readonly name: string
  /** The `format` of its schema: `date`, `email`. */
  readonly format?: string | undefined
}

/** Chooses values for the arguments of a call and for structured answers, each of the user's words once. */
export interface PlausibleValues {
  text(hints: Hints): string
  /** The texts of a list: all names that were said. At least one. */
  texts(hints: Hints): readonly string[]
  number(): number
  /** The index of the value that the user said, 0 if none. */
  choice(values: readonly unknown[]): number
}

/**
 * Returns values by the words of the user. Nobody's answer, but one that shows where each value goes: the city of
 * `What is the weather in Oslo?` is Oslo.
 */
export function plausibleValues(said: string): PlausibleValues {
  const text = said.slice(0, READ).trim()
  const lower = text.toLowerCase()
  const names = properNouns(text)
  const things = nounPhrases(text)
  const quotes = Array.from(text.matchAll(/(?<!\w)["“']([^"”'\n]{1,200})["”'](?!\w)/g), ([, quote = '']) => quote)
  const numbers = Array.from(text.matchAll(/(?<![\w.])-?\d{1,12}(?:\.\d{1,6})?(?![\w.]*\w)/g), ([number]) =>
    Number(number),
  )
  const found = (pattern: RegExp, otherwise: string): string => pattern.exec(text)?.[0] ?? otherwise
  const whole = text.length > QUOTED ? `${text.slice(0, QUOTED).replace(/[\ud800-\udbff]$/, '')}…` : text

  const ofKind: Readonly<Record<Kind, () => string>> = {
    day: () =>
      found(/\d{4}-\d{2}-\d{2}|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b|\b(?:today|tomorrow)\b/i, '2026-01-31'),
    date: () => found(/\d{4}-\d{2}-\d{2}/, '2026-01-31'),
    time: () => found(/\b\d{1,2}:\d{2}(?::\d{2})?\b/, '12:00:00'),
    'date-time': () => `${found(/\d{4}-\d{2}-\d{2}/, '2026-01-31')}T12:00:00Z`,
    email: () => found(/[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}/, 'ann@example.com'),
    uri: () => found(/https?:\/\/[^\s"'<>)]{1,500}/, 'https://example.com'),
    uuid: () => '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
    path: () => found(/[\w/-]{1,200}\.\w{1,8}\b/, 'notes.txt'),
    query: () => quotes[0] ?? (whole || 'example'),
    person: () => names.shift() ?? 'Ann',
    place: () => names.shift() ?? 'Paris',
    thing: () => quotes.shift() ?? things.shift() ?? names.shift() ?? 'example',
    any: () => quotes.shift() ?? names.shift() ?? things.shift() ?? 'example',
  }
  const plausible = (hints: Hints): string => ofKind[kindOf(hints)]()

  return {
    text: plausible,
    texts(hints) {
      const kind = kindOf(hints)
      const people = names.filter((name) => !DAYS.test(name))
      if (kind !== 'any' && kind !== 'person' && kind !== 'place') return [plausible(hints)]
      if (people.length === 0) return [plausible(hints)]
      names.length = 0
      return people
    },
    number: () => numbers.shift() ?? 1,
    choice: (values) =>
      Math.max(
        values.findIndex((value) => typeof value === 'string' && value !== '' && lower.includes(value.toLowerCase())),
        0,
      ),
  }
}

type Kind =
  | 'day'
  | 'date'
  | 'time'
  | 'date-time'
  | 'email'
  | 'uri'
  | 'uuid'
  | 'path'
  | 'query'
  | 'person'
  | 'place'
  | 'thing'
  | 'any'

const FORMATS: Readonly<Record<string, Kind>> = {
  date: 'date',
  time: 'time',
  'date-time': 'date-time',
  email: 'email',
  uri: 'uri',
  url: 'uri',
  uuid: 'uuid',
}

/** Kinds by a word of the property's name, the first that fits. */
const WORDS: readonly (readonly [Kind, RegExp])[] = [
  ['email', /^e?mail$/],
  ['uri', /^(?:ur[il]|link|website|homepage)$/],
  ['path', /^(?:path|file|filename)$/],
  ['day', /^(?:date|day|birthday|deadline)$/],
  ['time', /^(?:time|hour)$/],
  ['place', /^(?:city|town|location|place|country|region|address|destination|origin)$/],
  ['person', /^(?:person|people|user|author|customer|participants?|attendees?|recipients?|owner|first|last)$/],
  ['query', /^(?:query|q|search|question|text|prompt|message|input|content|body|summary|description|note|answer)$/],
  ['thing', /^(?:name|title|event|topic|subject|item|product|thing|label|task)$/],
]

function kindOf({ name, format = '' }: Hints): Kind {
  const byFormat = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined
  if (byFormat !== undefined) return byFormat
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
  // The last word says what it is: `event_name` is a name, `name_of_city` a city.
  for (const word of words.reverse()) {
    const kind = WORDS.find(([, pattern]) => pattern.test(word))?.[0]
    if (kind !== undefined) return kind
  }
  return 'any'
}

const DAYS =
  /^(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July|August|September|October|November|December)$/

/** Returns the capitalised words of a text: not those that only begin a sentence, and neighbours together. */
function properNouns(text: string): string[] {
  const nouns: string[] = []
  for (const sentence of text.split(/[.!?\n]+\s*/)) {
    const words = sentence.split(/[\s,;:()"“”]+/).filter((word) => word !== '')
    for (const [at, word] of words.entries()) {
      const name = word.replace(/['’]s?$/, '')
      if (!/^\p{Lu}[\p{L}'’-]+$/u.test(name) || (at === 0 && !isListed(words))) continue
      nouns.push(name)
    }
  }
  return [...new Set(nouns)]
}

/** Whether the first word is one of several names: `Alice and Bob are ...`. */
function isListed(words: readonly string[]): boolean {
  return /^(?:and|or|und)$/.test(words[1] ?? '') && /^\p{Lu}/u.test(words[2] ?? '')
}

/** Returns what follows an article, up to two words: `a science fair on Friday` has `science fair`. */
function nounPhrases(text: string): string[] {
  const phrases = text.matchAll(/\b(?:an?|the)\s+(\p{Ll}+)(?:\s+(\p{Ll}+))?/giu)
  return Array.from(phrases, ([, first = '', second = '']) =>
    second === '' || SMALL.has(second) ? first : `${first} ${second}`,
  )
}

const SMALL = new Set('in on at of for to from with by is are was were and or that which who as into over'.split(' '))
