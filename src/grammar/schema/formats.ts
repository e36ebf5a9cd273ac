const BYTE = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])'
const LEAP = '([0-9]{2}(0[48]|[2468][048]|[13579][26])|(0[48]|[2468][048]|[13579][26]|00)00)'
const DAYS = '((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))'
const DATE = `([0-9]{4}-${DAYS}|${LEAP}-02-29)`
const CLOCK = '([01][0-9]|2[0-3]):[0-5][0-9]'
const TIME = `${CLOCK}:[0-5][0-9](\\.[0-9]{1,9})?(Z|[+-]${CLOCK})`
const LABEL = '[A-Za-z0-9]([A-Za-z0-9-]{0,28}[A-Za-z0-9])?'
const NAME = `${LABEL}(\\.${LABEL}){0,6}`
const WORD = "[A-Za-z0-9!#$%&'*+\\/=?^_`\\{\\|\\}~-]{1,20}"
const H = '[0-9A-Fa-f]{1,4}'
const IPV6 = [
  `(${H}:){7}${H}`,
  ...[1, 2, 3, 4, 5, 6].map((left) => `(${H}:){${left}}(:${H}){1,${7 - left}}`),
  `(${H}:){7}:`,
  `:((:${H}){1,7}|:)`,
  ...[1, 2, 3, 4, 5, 6].map((left) => `(${H}:){${left}}:`),
].join('|')

/**
 * What a `format` allows, as a regular expression. All that these match is valid; hosts' and mailboxes' names of unusual
 * length, quoted mailboxes and leap seconds are left out. The other formats are annotations, as JSON Schema has it.
 */
export const FORMATS: ReadonlyMap<string, string> = new Map([
  ['date', DATE],
  ['time', TIME],
  ['date-time', `${DATE}T${TIME}`],
  [
    'duration',
    'P([0-9]{1,4}W|([0-9]{1,4}Y([0-9]{1,4}M([0-9]{1,4}D)?)?|[0-9]{1,4}M([0-9]{1,4}D)?|[0-9]{1,4}D)(T(H|M|S))?|T(H|M|S))'.replaceAll(
      '(H|M|S)',
      '([0-9]{1,4}H([0-9]{1,4}M([0-9]{1,4}S)?)?|[0-9]{1,4}M([0-9]{1,4}S)?|[0-9]{1,4}S)',
    ),
  ],
  ['email', `${WORD}(\\.${WORD}){0,2}@${LABEL}(\\.${LABEL}){1,6}`],
  ['hostname', NAME],
  ['ipv4', `(${BYTE}\\.){3}${BYTE}`],
  ['ipv6', IPV6],
  ['uuid', '[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}'],
])
