import { json, type KeywordCase, type KeywordCases } from './keyword-case.js'

const format = (name: string, right: readonly string[], wrong: readonly string[]): KeywordCase => ({
  schema: { type: 'string', format: name },
  right: json(...right),
  wrong: { format: json(...wrong), type: json(1), text: ['"\u0001"', '"', '""x"', '""a"@b.co"'] },
})

/** Formats, each with texts that are nearly right. */
export const FORMATS: KeywordCases = {
  uuid: format(
    'uuid',
    ['123e4567-e89b-12d3-a456-426614174000', '00000000-0000-0000-0000-000000000000'],
    [
      '',
      '123e4567e89b12d3a456426614174000',
      '123e4567-e89b-12d3-a456-42661417400',
      '123e4567-e89b-12d3-a456-42661417400g',
    ],
  ),
  ipv6: format(
    'ipv6',
    ['::', '::1', '1::', 'fe80::1', '2001:db8:0:0:0:0:0:1', '::ffff:1.2.3.4', '1:2:3:4:5:6:7::', '::2:3:4:5:6:7:8'],
    [
      ...['', ':', ':::', '1::2::3', '12345::', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', 'g::', '::256.1.1.1', '1:2'],
      ...['1.2.3.4', 'fe80::1%eth0', '1:2:3:4:5:6:7:8::', '::1.2.3', ':1::', '::1:', '1:2:3:4:5:6:7:1.2.3.4'],
    ],
  ),
  date: format(
    'date',
    ['2024-02-29', '1999-12-31', '2000-02-29'],
    [
      '2021-02-30',
      '2023-02-29',
      '1900-02-29',
      '2021-04-31',
      '2021-13-01',
      '2021-00-10',
      '2021-1-1',
      '21-01-01',
      '2021-01-01x',
    ],
  ),
  time: format(
    'time',
    ['03:04:05Z', '23:59:59+01:00', '03:04:05.123Z'],
    ['24:00:00Z', '03:60:00Z', '03:04:60Z', '03:04:05', '03:04Z', '03:04:05+24:00', '03:04:05.Z', '3:04:05Z'],
  ),
  'date and time': format(
    'date-time',
    ['2021-01-02T03:04:05Z', '2024-02-29T23:59:59.5+01:00'],
    [
      '2021-01-02',
      '2021-02-30T03:04:05Z',
      '2021-01-02T03:04:60Z',
      '2021-01-02T25:04:05Z',
      '2021-01-02 x',
      '2021-01-02T03:04:05',
    ],
  ),
  duration: format(
    'duration',
    ['P1D', 'PT5M', 'P1Y2M3DT4H5M6S', 'P2W'],
    ['', 'P', 'PT', 'P1H', 'P1D2Y', 'T1H', '1D', 'P1W2D', 'P1.5D', 'P-1D'],
  ),
  ipv4: format(
    'ipv4',
    ['1.2.3.4', '255.255.255.255', '0.0.0.0'],
    ['256.1.1.1', '1.2.3', '1.2.3.4.5', '01.2.3.4', '1.2.3.', 'a.b.c.d', '', '::'],
  ),
  email: format(
    'email',
    ['a@b.co', 'first.last+tag@mail.example.org'],
    ['', 'a', 'a@', '@b.co', 'a b@c.de', 'a@b@c.de'],
  ),
  hostname: format(
    'hostname',
    ['example.org', 'a', 'a-b.c1'],
    ['', '-a', 'a-', 'a..b', 'a_b', 'a b', 'a'.repeat(64), 'ä.de', `${'a.'.repeat(127)}ab`],
  ),
  uri: format('uri', ['https://a.b/c?d#e', 'urn:x:y'], ['', 'a b', '//a', 'a']),
  'a pointer': format('json-pointer', ['', '/a/b~1c'], ['a', '/~2']),
  'a format that is an annotation': {
    schema: { type: 'string', format: 'regex' },
    right: json('^a$', ''),
    wrong: { type: json(1), text: ['"\u0001"'] },
  },
  'a format that nobody knows': {
    schema: { type: 'string', format: 'mine' },
    right: json('a', ''),
    wrong: { type: json(1), text: ['"\u0001"'] },
  },
}
