import { choice, EMPTY, type Expression, sequence } from '../expression.js'
import { patternExpression } from '../regex/pattern-expression.js'
import { readPattern } from '../regex/read-pattern.js'
import type { Rules } from '../rules.js'
import { sharedRules } from '../shared-rules.js'
import { ATOM, DATE, FRACTION, IPV4, IPV6, TIME } from './formats.js'

/** How many characters a text may have. */
export interface Lengths {
  readonly min: number
  readonly max: number
}

/**
 * A format inside of a JSON string, where its RFC counts or compares what stands apart: the octets of a name, and the time
 * and the zone of a leap second. Undefined for those of which the regular expression in `formats.ts` says all, and for
 * lengths that it would have to be counted for otherwise.
 */
export function formatExpression(format: string, lengths: Lengths, rules: Rules): Expression | undefined {
  const known = FORMATS.get(format)
  if (known === undefined || lengths.min > known.shortest) return undefined
  const max = Math.min(lengths.max, known.longest)
  return max < known.least ? undefined : rules.once(`format ${format} ${max}`, 'format', () => known.make(rules, max))
}

interface CountedFormat {
  /** The characters of the shortest text, and of the longest one. */
  readonly shortest: number
  readonly longest: number
  /** A longest text of so many can be held. */
  readonly least: number
  readonly make: (rules: Rules, max: number) => Expression
}

/** RFC 1035, 2.3.4: a label has 63 octets. */
const LONGEST_LABEL = 63
/** RFC 1035, 2.3.4: a name has 255 octets with the length of each label and of the root, 253 as a text. */
const LONGEST_NAME = 253
/** RFC 5321, 4.5.3.1.1. */
const LONGEST_LOCAL_PART = 64
/** RFC 5321, 4.5.3.1.3: a path has 256 octets with its brackets. */
const LONGEST_MAILBOX = 254

const FORMATS: ReadonlyMap<string, CountedFormat> = new Map([
  ['time', { shortest: 9, longest: 24, least: 24, make: timeOfDay }],
  ['date-time', { shortest: 20, longest: 35, least: 35, make: dateTime }],
  // Of shorter ones the labels need not be counted beside.
  ['hostname', { shortest: 1, longest: LONGEST_NAME, least: LONGEST_LABEL + 1, make: hostname }],
  ['email', { shortest: 5, longest: LONGEST_MAILBOX, least: LONGEST_LABEL + 1, make: mailbox }],
])

/** A regular expression as a rule of its own, once. */
function part(source: string, rules: Rules): Expression {
  return rules.once(`part ${source}`, 'part', () =>
    patternExpression(readPattern(source, '', source.length), rules, 'json'),
  )
}

const HOURS = Array.from({ length: 24 }, (_, hour) => hour)
/** All time zones since the first leap second, of 1972, are whole quarters of an hour from UTC. */
const LAST_MINUTES = [14, 29, 44, 59]
const two = (number: number): string => String(number).padStart(2, '0')

function dateTime(rules: Rules): Expression {
  return sequence(part(DATE, rules), part('[Tt]', rules), timeOfDay(rules))
}

function timeOfDay(rules: Rules): Expression {
  return rules.include(CLOCK())
}

/** RFC 3339, 5.6 and appendix D: the second 60 is the last one of a day in UTC, whatever time it is elsewhere. */
const CLOCK = sharedRules('clock', (rules) => {
  const seconds = sequence(part(':60', rules), part(FRACTION, rules))
  const leap = HOURS.map((hour) => {
    const ways = LAST_MINUTES.map((minute) => {
      const ahead = `${two(minute === 59 ? (hour + 1) % 24 : hour)}:${two((minute + 1) % 60)}`
      const behind = `${two(23 - hour)}:${two(59 - minute)}`
      return sequence(part(two(minute), rules), seconds, part(`\\+${ahead}|-${behind}`, rules))
    })
    return sequence(part(`${two(hour)}:`, rules), choice(...ways))
  })
  return choice(part(TIME, rules), ...leap)
})

/** What a label is counted in, with the dot after it. */
const UNIT = 8

function hostname(rules: Rules, max: number): Expression {
  // The last label has no dot after it.
  const units = Math.floor((max + 1) / UNIT)
  return choice(...namesOf(units, rules), reverseName(units, rules))
}

/** Names by the units of their first label: `LABEL`, or `LABEL.NAME`. No regular expression counts in two ways at once. */
function namesOf(units: number, rules: Rules): Expression[] {
  return labels(units, rules).map((label, index) => {
    const left = units - index - 1
    return left === 0 ? label : sequence(label, choice(EMPTY, sequence(part('\\.', rules), nameWithin(left, rules))))
  })
}

function nameWithin(units: number, rules: Rules): Expression {
  return rules.once(`name ${units}`, 'name', () => choice(...namesOf(units, rules)))
}

/** Labels by their lengths: of 1 to 7 octets, of 8 to 15, and so on up to 63. RFC 1123, 2.1: letters, digits, hyphens. */
function labels(units: number, rules: Rules): Expression[] {
  return Array.from({ length: Math.min(units, (LONGEST_LABEL + 1) / UNIT) }, (_, index) => {
    const inner = `([A-Za-z0-9-]{${Math.max(0, UNIT * index - 2)},${UNIT * (index + 1) - 3}}[A-Za-z0-9])`
    return part(`[A-Za-z0-9]${inner}${index === 0 ? '?' : ''}`, rules)
  })
}

/** Many labels of one character, which would take more units than they need: RFC 3596, 2.5 has names of 34 labels. */
function reverseName(units: number, rules: Rules): Expression {
  const rest = Math.floor(units / 2)
  return sequence(part(`([A-Za-z0-9]\\.){1,${(UNIT / 2) * (units - rest)}}`, rules), nameWithin(rest, rules))
}

/** RFC 5321, 4.1.2: words with dots between them or a text in quotes, at a domain or at an address in brackets. */
function mailbox(rules: Rules, max: number): Expression {
  const domainAfter = (octets: number): Expression =>
    sequence(part('@', rules), domain(Math.floor((max - octets) / UNIT), rules))
  return choice(words(domainAfter, rules), quotedText(domainAfter, rules))
}

/** What stands after the `@`. RFC 5321, 2.3.5: a domain is a full one. */
function domain(units: number, rules: Rules): Expression {
  return rules.once(`domain ${units}`, 'domain', () => {
    const names = labels(units - 1, rules).map((label, index) =>
      sequence(label, part('\\.', rules), nameWithin(units - index - 1, rules)),
    )
    // Of 52 characters at most.
    const addresses = 52 < units * UNIT ? [part(`\\[(${IPV4}|IPv6:(${IPV6}))\\]`, rules)] : []
    return choice(...names, ...addresses)
  })
}

/** Words with dots between them, and what stands after so many octets: each but the first one may have a dot before it. */
function words(after: (octets: number) => Expression, rules: Rules): Expression {
  const [atom, dot] = [part(ATOM, rules), part('\\.', rules)]
  const from = (octets: number): Expression[] =>
    octets > LONGEST_LOCAL_PART
      ? []
      : [
          sequence(
            atom,
            rules.once(`words ${octets}`, 'words', () =>
              choice(after(octets), ...from(octets + 1), ...from(octets + 2).map((rest) => sequence(dot, rest))),
            ),
          ),
        ]
  return choice(...from(1))
}

/** A text in quotes, of which a backslash and what it escapes are two octets, and what stands after so many. */
function quotedText(after: (octets: number) => Expression, rules: Rules): Expression {
  const [quote, plain, escaped] = [part('"', rules), part('[ !#-\\[\\]-~]', rules), part('\\\\[ -~]', rules)]
  // So many octets with the quote that ends it.
  const from = (octets: number): Expression[] =>
    octets > LONGEST_LOCAL_PART
      ? []
      : [
          rules.once(`quoted ${octets}`, 'quoted', () =>
            choice(
              sequence(quote, after(octets)),
              ...from(octets + 1).map((rest) => sequence(plain, rest)),
              ...from(octets + 2).map((rest) => sequence(escaped, rest)),
            ),
          ),
        ]
  return sequence(quote, ...from(2))
}
