import { Validator } from '@cfworker/json-schema'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileSchema, matcherOf } from '../../../src/engines/grammar/index.js'
import { atOnce } from '../../../src/shared/slices.js'
import { runs } from '../../support/runs.js'
import { allows, anyWalk, walk } from './walk.js'

interface Examples {
  readonly right: readonly string[]
  readonly wrong: readonly string[]
}

const label = 'a'.repeat(63)
/** Of 247 octets; with one of seven more it has 254. */
const LONG = `${label}.${label}.${label}.${'b'.repeat(55)}`
const REVERSE = `${'1.'.repeat(32)}ip6.arpa`

const EXAMPLES: Readonly<Record<string, Examples>> = {
  date: {
    right: ['0001-01-01', '2024-02-29', '0004-02-29'],
    wrong: ['0000-01-01', '2023-02-29', '0000-02-29', '2100-02-29'],
  },
  time: {
    right: [
      '23:59:60Z',
      '12:00:00z',
      '12:00:00.123456789+23:59',
      '23:59:60.5+00:00',
      '01:29:60+01:30',
      '23:29:60.123+23:30',
      '15:59:60-08:00',
      '00:29:60-23:30',
      '05:44:60+05:45',
      '08:59:60+09:00',
    ],
    wrong: ['24:00:00Z', '12:00:60Z', '12:00:00', '22:59:60Z', '23:59:60+01:00', '23:59:60+00:30', '23:59:60-01:00'],
  },
  'date-time': {
    right: ['2024-02-29t23:59:60z', '1990-12-31T15:59:59.9-08:00', '1990-12-31T15:59:60-08:00'],
    wrong: ['1990-12-31T15:59:60-09:00', '2024-02-30T00:00:00Z', '2024-01-01 00:00:00Z'],
  },
  duration: { right: ['P4Y', 'PT86400S', 'P1Y2M3DT4H5M6S', 'P8W', 'PT0S'], wrong: ['P', 'PT', 'P1YT', 'P1D2H', '4Y'] },
  hostname: {
    right: [
      'internal-my-load-balancer-name-1234567890.us-west-2.elb.amazonaws.com',
      label,
      'a.b.c.d.e.f.g.h.i',
      '1.2',
      REVERSE,
      LONG,
    ],
    wrong: [`${label}a`, '-a', 'a-', 'a..b', 'a_b', '', `${LONG}.abcdef`, `${label}.${label}.${label}.${label}`],
  },
  email: {
    right: [
      'a.b.c.d@x.com',
      'bounce-1234567890-abcdefghijklmnop@mail.example.com',
      `${'a'.repeat(64)}@x.com`,
      `${'a'.repeat(40)}.${'b'.repeat(23)}@x.com`,
      `${'a.'.repeat(31)}b@${label}.${label}.example.org`,
      '"joe bloggs"@example.com',
      '"joe..\\"@\\""@example.com',
      `"${'q'.repeat(62)}"@example.com`,
      'a@[127.0.0.1]',
      'a@[IPv6:::1]',
    ],
    wrong: [
      ...['a@', '@b.com', 'a..b@x.com', 'a b@x.com', '.a@x.com', 'a.@x.com', 'a@b', 'a@[1.2.3]', 'a@[::1]'],
      `${'a'.repeat(65)}@x.com`,
      `${'a.'.repeat(32)}b@x.com`,
      `"${'q'.repeat(63)}"@example.com`,
      `"${'\\q'.repeat(32)}"@example.com`,
      '"a"b"@example.com',
      '"a\\"@example.com',
      `a@${label}.${label}.${label}.${label}`,
    ],
  },
  ipv4: { right: ['255.255.255.255', '0.0.0.0'], wrong: ['256.1.1.1', '1.1.1', '01.1.1.1'] },
  ipv6: {
    right: [
      '::ffff:192.168.0.1',
      '::',
      '::1',
      '1::',
      '1:2:3:4:5:6:1.2.3.4',
      '1:2:3:4:5::1.2.3.4',
      '1::2:3:1.2.3.4',
      '1:2:3:4:5:6:7:8',
    ],
    wrong: ['1:2:3:4:5:6:7', '::1::', '1.2.3.4', '1:2:3:4:5:6:7:1.2.3.4', '::ffff:256.0.0.1', '12345::'],
  },
  uri: {
    right: [
      'https://user:pw@example.com:8080/a/b%20c?x=1&y=%C3%A9#top',
      'urn:isbn:0451450523',
      'mailto:a@b.c',
      'http://[::1]/',
      'file:///etc/x',
      'a:',
    ],
    wrong: ['not a url', '//example.com', '/a', 'http://a b', 'http://é', 'http://x/%zz', '1a:b', 'http://[::1', ''],
  },
  'uri-reference': { right: ['//x/y', '/a', 'a/b:c', '?q', '#f', '', '../x'], wrong: ['1:a', 'a b', '\\\\x', '[]'] },
  iri: { right: ['http://exämple.org/Ö#ß'], wrong: ['http://a b', 'ä'] },
  'iri-reference': { right: ['ä/ö', 'http://é'], wrong: ['<ä>'] },
  'json-pointer': { right: ['', '/', '/a~1b/~0/0'], wrong: ['a', '/~', '/~2'] },
  'relative-json-pointer': { right: ['0', '1/a', '2#'], wrong: ['/a', '01', '-1', '0##'] },
  uuid: { right: ['2EB8AA08-AA98-11EA-B4AA-73B441D16380'], wrong: ['2eb8aa08aa9811eab4aa73b441d16380'] },
}

test.each(Object.entries(EXAMPLES))('the format %s allows what its RFC allows', (format, { right, wrong }) => {
  const { grammar, relaxed } = atOnce(compileSchema({ type: 'string', format }))
  expect(relaxed).toEqual([])
  const start = atOnce(matcherOf(grammar))
  const verdicts = (texts: readonly string[]) => texts.filter((text) => allows(start, JSON.stringify(text)))
  expect(verdicts(right)).toEqual(right)
  expect(verdicts(wrong)).toEqual([])
})

test('a format is held where the pattern beside it cannot be', () => {
  const schema = { type: 'string', format: 'date', pattern: '^(?=.)' }
  const { grammar, relaxed } = atOnce(compileSchema(schema))
  expect(relaxed.map(({ path }) => path)).toEqual(['/pattern'])
  expect(allows(atOnce(matcherOf(grammar)), '"2023-02-29"')).toBe(false)
})

test('a date is held to the calendar beside a pattern, and to both where the pattern says more', () => {
  const { grammar, relaxed } = atOnce(
    compileSchema({ type: 'string', format: 'date', pattern: '^20[0-9]{2}-[0-9]{2}-[0-9]{2}$' }),
  )
  expect(relaxed).toEqual([])
  const start = atOnce(matcherOf(grammar))
  const dates = ['2024-02-29', '2023-02-29', '2020-02-30', '1999-12-31', '2099-12-31']
  expect(dates.map((date) => allows(start, JSON.stringify(date)))).toEqual([true, false, false, false, true])
})

test('what cannot be held of a string is named wherever it stands', () => {
  const pattern = { type: 'string', pattern: '(?=a)' }
  const { relaxed } = atOnce(compileSchema({ properties: { a: pattern, b: { ...pattern } } }))
  expect(relaxed.map(({ path }) => path)).toEqual(['/properties/a/pattern', '/properties/b/pattern'])
})

test.each(['date', 'time', 'date-time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'])(
  'an independent validator takes every text that the format %s allows',
  (format) => {
    const start = atOnce(matcherOf(atOnce(compileSchema({ type: 'string', format })).grammar))
    const validator = new Validator({ format })
    fc.assert(
      fc.property(anyWalk(), (choices) => {
        const text: unknown = JSON.parse(walk(start, choices))
        expect({ text, valid: validator.validate(text).valid }).toEqual({ text, valid: true })
      }),
      { numRuns: runs(500) },
    )
  },
)

test.each([
  ['email', 254, [`${'a'.repeat(64)}@${label}.${label}.org`], [`a@${label}.${label}.${label}.${label}`]],
  ['email', 100, ['jane.doe@mail.example.com', `${'a'.repeat(28)}@${label}.org`], [`a@${'b.'.repeat(50)}com`]],
  ['email', 20, ['a.b@x.example.com', 'abcdefghijklm@xy.com'], ['abcdefghijklmn@xy.com', 'a..b@x.com', 'a@b']],
  ['hostname', 255, [LONG], [`${LONG}.abcdefg`]],
  ['hostname', 128, [`${label}.${'a'.repeat(55)}.example`], [`${label}.${'a'.repeat(57)}.example`]],
  ['hostname', 20, ['example.com', 'a-b.c'], ['a..b', 'a-', 'a'.repeat(21)]],
  ['date-time', 64, ['1990-12-31T15:59:60-08:00'], ['1990-12-31']],
])('the format %s is held beside a length of %i', (format, maxLength, right, wrong) => {
  const { grammar, relaxed } = atOnce(compileSchema({ type: 'string', format, minLength: 1, maxLength }))
  expect(relaxed).toEqual([])
  const start = atOnce(matcherOf(grammar))
  const allowed = [...right, ...wrong].filter((text) => allows(start, JSON.stringify(text)))
  expect(allowed).toEqual(right)
})
