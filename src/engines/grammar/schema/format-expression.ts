import type { Slices } from '../../../shared/slices.js'
import { choice, EMPTY, type Expression, sequence } from '../expression.js'
import { jsonCharacter } from '../json-text.js'
import { rangesOf } from '../ranges.js'
import { patternExpression } from '../regex/pattern-expression.js'
import { readPattern } from '../regex/read-pattern.js'
import type { Rules } from '../rules.js'
import { slicedRules } from '../shared-rules.js'
import { ATOM, DATE, FRACTION, IPV4, IPV6, TIME } from './formats.js'

/** A range of lengths, in characters. */
export interface Lengths {
  readonly min: number
  readonly max: number
}

/**
 * Returns a format inside a JSON string, if its RFC counts or compares separate parts: the octets of a name, and the
 * time and the zone of a leap second. Undefined if the regular expression in `formats.ts` is exact, and for lengths
 * that would need another count.
 */
export function* formatExpression(format: string, lengths: Lengths, rules: Rules): Slices<Expression | undefined> {
  const known = FORMATS.get(format)
  if (known === undefined || lengths.min > known.shortest) return undefined
  const max = Math.min(lengths.max, known.longest)
  return max < known.minRoom ? undefined : rules.add('format', yield* known.make(rules, max))
}

interface CountedFormat {
  /** The lengths of the shortest text, and of the longest one, in characters. */
  readonly shortest: number
  readonly longest: number
  /** The lowest maximum length that can be enforced. */
  readonly minRoom: number
  readonly make: (rules: Rules, max: number) => Slices<Expression>
}

/** RFC 1035, 2.3.4: a label has 63 octets. */
const MAX_LABEL_LENGTH = 63
/** RFC 1035, 2.3.4: a name has 255 octets with the length of each label and of the root, 253 as a text. */
const MAX_NAME_LENGTH = 253
/** RFC 5321, 4.5.3.1.1. */
const MAX_LOCAL_PART_LENGTH = 64
/** RFC 5321, 4.5.3.1.3: a path has 256 octets with its brackets. */
const MAX_MAILBOX_LENGTH = 254

const FORMATS: ReadonlyMap<string, CountedFormat> = new Map([
  ['time', { shortest: 9, longest: 24, minRoom: 24, make: timeOfDay }],
  ['date-time', { shortest: 20, longest: 35, minRoom: 35, make: dateTime }],
  // For shorter ones, the labels need not be counted too.
  ['hostname', { shortest: 1, longest: MAX_NAME_LENGTH, minRoom: MAX_LABEL_LENGTH + 1, make: hostname }],
  ['email', { shortest: 5, longest: MAX_MAILBOX_LENGTH, minRoom: MAX_LABEL_LENGTH + 1, make: mailbox }],
])

/** Adds a regular expression as a rule of its own, once. */
function part(source: string, rules: Rules): Expression {
  return rules.once(`part ${source}`, 'part', () =>
    patternExpression(readPattern(source, '', source.length), rules, 'json'),
  )
}

/** Returns a text whose characters stand for themselves. */
function exactly(text: string, rules: Rules): Expression {
  return sequence(Array.from(text, (character) => jsonCharacter(rangesOf(character), rules)))
}

/** All time zones since the first leap second, of 1972, are whole quarters of an hour from UTC. */
const LAST_MINUTES = [14, 29, 44, 59]
const two = (number: number): string => String(number).padStart(2, '0')

function* dateTime(rules: Rules): Slices<Expression> {
  const before = sequence([part(DATE, rules), part('[Tt]', rules)])
  yield
  return sequence([before, yield* timeOfDay(rules)])
}

function* timeOfDay(rules: Rules): Slices<Expression> {
  return rules.include(yield* CLOCK())
}

/** RFC 3339, 5.6 and appendix D: the second 60 is the last one of a day in UTC, whatever time it is elsewhere. */
const CLOCK = slicedRules('clock', function* (rules) {
  const ordinary = part(TIME, rules)
  const seconds = rules.add('leap', sequence([exactly(':60', rules), part(FRACTION, rules)]))
  const leap: Expression[] = []
  for (let hour = 0; hour < 24; hour++) {
    if (hour % HOURS_AT_ONCE === 0) yield
    const ways = LAST_MINUTES.map((minute) => {
      const ahead = `+${two(minute === 59 ? (hour + 1) % 24 : hour)}:${two((minute + 1) % 60)}`
      const behind = `-${two(23 - hour)}:${two(59 - minute)}`
      const zone = choice([exactly(ahead, rules), exactly(behind, rules)])
      return sequence([exactly(two(minute), rules), seconds, zone])
    })
    leap.push(sequence([exactly(`${two(hour)}:`, rules), choice(ways)]))
  }
  return choice([ordinary, ...leap])
})

/** The number of hours that are written in one slice. */
const HOURS_AT_ONCE = 6

/** The unit in which a label is counted, including the dot after it. */
const UNIT = 8

function* hostname(rules: Rules, max: number): Slices<Expression> {
  // The last label has no dot after it.
  const units = Math.floor((max + 1) / UNIT)
  yield* shorterNames(units, rules)
  return choice([...namesOf(units, rules), reverseName(units, rules)])
}

/** The number of rules that are created in one slice: of names, and of local parts. */
const RULES_AT_ONCE = 8

/** Creates the rules that longer names refer to, shortest first, so that none creates all others in one slice. */
function* shorterNames(units: number, rules: Rules): Slices<void> {
  for (let each = 1; each < units; each++) {
    nameWithin(each, rules)
    if (each % RULES_AT_ONCE === 0) yield
  }
}

/**
 * Returns names by the units of their first label: `LABEL`, or `LABEL.NAME`. A regular expression cannot count in two
 * ways at once.
 */
function namesOf(units: number, rules: Rules): Expression[] {
  return labels(units, rules).map((label, index) => {
    const left = units - index - 1
    return left === 0
      ? label
      : sequence([label, choice([EMPTY, sequence([part('\\.', rules), nameWithin(left, rules)])])])
  })
}

function nameWithin(units: number, rules: Rules): Expression {
  return rules.once(`name ${units}`, 'name', () => choice(namesOf(units, rules)))
}

/**
 * Returns labels by length: of 1 to 7 octets, of 8 to 15, and so on up to 63. RFC 1123, 2.1: letters, digits, hyphens.
 */
function labels(units: number, rules: Rules): Expression[] {
  return Array.from({ length: Math.min(units, (MAX_LABEL_LENGTH + 1) / UNIT) }, (_, index) => {
    const inner = `([A-Za-z0-9-]{${Math.max(0, UNIT * index - 2)},${UNIT * (index + 1) - 3}}[A-Za-z0-9])`
    return part(`[A-Za-z0-9]${inner}${index === 0 ? '?' : ''}`, rules)
  })
}

/**
 * Returns many labels of one character, which would otherwise take more units than they need: RFC 3596, 2.5 has names
 * of 34 labels.
 */
function reverseName(units: number, rules: Rules): Expression {
  const rest = Math.floor(units / 2)
  return sequence([part(`([A-Za-z0-9]\\.){1,${(UNIT / 2) * (units - rest)}}`, rules), nameWithin(rest, rules)])
}

/**
 * Returns a mailbox of RFC 5321, 4.1.2: words with dots between them or a text in quotes, at a domain or at an address
 * in brackets.
 */
function* mailbox(rules: Rules, max: number): Slices<Expression> {
  const domainAfter = (octets: number): Expression =>
    sequence([part('@', rules), domain(Math.floor((max - octets) / UNIT), rules)])
  yield* shorterNames(Math.floor(max / UNIT), rules)
  part(ADDRESS, rules)
  yield
  return choice([yield* words(domainAfter, rules), yield* quotedText(domainAfter, rules)])
}

/** RFC 5321, 4.1.3. */
const ADDRESS = `\\[(${IPV4}|IPv6:(${IPV6}))\\]`
const MAX_ADDRESS_LENGTH = 52

/** Returns the part after the `@`. RFC 5321, 2.3.5: a domain is fully qualified. */
function domain(units: number, rules: Rules): Expression {
  return rules.once(`domain ${units}`, 'domain', () => {
    const names = labels(units - 1, rules).map((label, index) =>
      sequence([label, part('\\.', rules), nameWithin(units - index - 1, rules)]),
    )
    const addresses = MAX_ADDRESS_LENGTH < units * UNIT ? [part(ADDRESS, rules)] : []
    return choice([...names, ...addresses])
  })
}

/**
 * Returns words with dots between them, and the rest after a number of octets: each word but the first may follow a
 * dot.
 */
function* words(after: (octets: number) => Expression, rules: Rules): Slices<Expression> {
  const [atom, dot] = [part(ATOM, rules), part('\\.', rules)]
  return yield* byOctets(1, (octets, from) => {
    const rest = choice([after(octets), ...from(octets + 1), ...from(octets + 2).map((more) => sequence([dot, more]))])
    return sequence([atom, rules.add('words', rest)])
  })
}

/** Returns a text in quotes, in which an escape counts two octets, and the rest after a number of octets. */
function* quotedText(after: (octets: number) => Expression, rules: Rules): Slices<Expression> {
  const [quote, plain, escaped] = [part('"', rules), part('[ !#-\\[\\]-~]', rules), part('\\\\[ -~]', rules)]
  // The octets, including the closing quote.
  const inner = yield* byOctets(2, (octets, from) => {
    const one = from(octets + 1).map((more) => sequence([plain, more]))
    const two = from(octets + 2).map((more) => sequence([escaped, more]))
    return rules.add('quoted', choice([sequence([quote, after(octets)]), ...one, ...two]))
  })
  return sequence([quote, inner])
}

/**
 * Returns the rest of a local part after each possible number of octets, the longest first.
 *
 * @param make - receives the rest after more of them: nothing at the maximum
 */
function* byOctets(
  min: number,
  make: (octets: number, from: (octets: number) => readonly Expression[]) => Expression,
): Slices<Expression> {
  const made = new Map<number, Expression>()
  const from = (octets: number): readonly Expression[] => {
    const known = made.get(octets)
    return known === undefined ? [] : [known]
  }
  for (let octets = MAX_LOCAL_PART_LENGTH; octets >= min; octets--) {
    if (octets % RULES_AT_ONCE === 0) yield
    made.set(octets, make(octets, from))
  }
  return made.get(min) as Expression
}
