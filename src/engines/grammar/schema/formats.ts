/*
 * Formats as regular expressions, each by the RFC that JSON Schema names for it. Where an RFC leaves numbers of digits
 * and of names open, they are bounded here: a model could otherwise continue forever.
 */

// RFC 3339, 5.6 and appendix A: years from 0001, which is the first one that Python's datetime has.
const YEAR = '(000[1-9]|00[1-9][0-9]|0[1-9][0-9]{2}|[1-9][0-9]{3})'
const LEAP = '([0-9]{2}(0[48]|[2468][048]|[13579][26])|(0[48]|[2468][048]|[13579][26])00)'
const DAYS = '((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))'
export const DATE: string = `(${YEAR}-${DAYS}|${LEAP}-02-29)`
const CLOCK = '([01][0-9]|2[0-3]):[0-5][0-9]'
// RFC 3339, 5.6 leaves the digits open: nanoseconds have nine.
export const FRACTION: string = '(\\.[0-9]{1,9})?'
export const TIME: string = `(${CLOCK}:[0-5][0-9]${FRACTION}([Zz]|[+-]${CLOCK})|23:59:60${FRACTION}([Zz]|[+-]00:00))`
const COUNT = '[0-9]{1,10}'
const DURATION = 'P(nW|(nY(nM(nD)?)?|nM(nD)?|nD)(T(nH(nM(nS)?)?|nM(nS)?|nS))?|T(nH(nM(nS)?)?|nM(nS)?|nS))'.replaceAll(
  'n',
  COUNT,
)

// RFC 1035, 2.3.4 and RFC 1123, 2.1: labels of 63 octets, and 127 of them, since a name has 253 with its dots.
const LABEL = '[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const HOSTNAME = `${LABEL}(\\.${LABEL}){0,126}`
// RFC 5321, 4.1.2: words with dots between; 4.5.3.1.1: 64 octets, which 32 words with dots fill. 2.3.5: a full domain.
export const ATOM: string = "[A-Za-z0-9!#$%&'*+\\/=?^_`\\{\\|\\}~-]"
const WORD = `${ATOM}{1,64}`
const EMAIL = `${WORD}(\\.${WORD}){0,31}@${LABEL}(\\.${LABEL}){1,126}`
const SHORT_LABEL = '[A-Za-z0-9](-*[A-Za-z0-9])*'

const BYTE = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])'
export const IPV4: string = `(${BYTE}\\.){3}${BYTE}`
// RFC 4291, 2.2: at most one `::` for one group or more, and the last two groups as of IPv4.
const H = '[0-9A-Fa-f]{1,4}'
export const IPV6: string = [
  `(${H}:){7}${H}`,
  ...[1, 2, 3, 4, 5, 6].map((left) => `(${H}:){${left}}(:${H}){1,${7 - left}}`),
  `(${H}:){7}:`,
  `:((:${H}){1,7}|:)`,
  ...[1, 2, 3, 4, 5, 6].map((left) => `(${H}:){${left}}:`),
  `(${H}:){6}${IPV4}`,
  `::(${H}:){0,5}${IPV4}`,
  ...[1, 2, 3, 4].map((left) => `(${H}:){${left}}(:${H}){1,${5 - left}}:${IPV4}`),
  `(${H}:){1,5}:${IPV4}`,
].join('|')

/**
 * Returns references of RFC 3986, appendix A. @param other - characters that an IRI has beside those of a URI (RFC
 * 3987, 2.2)
 */
function references(other: string): { readonly absolute: string; readonly any: string } {
  const plain = `A-Za-z0-9._~!$&'()*+,;=${other}`
  const percent = '%[0-9A-Fa-f]{2}'
  const character = `([${plain}:@-]|${percent})`
  const host = `(\\[(${IPV6})\\]|([${plain}-]|${percent})*)`
  const authority = `(([${plain}:-]|${percent})*@)?${host}(:[0-9]{0,5})?`
  const rest = `(\\/${character}*)*`
  const tail = `(\\?([${plain}:@\\/?-]|${percent})*)?(#([${plain}:@\\/?-]|${percent})*)?`
  const rooted = `\\/\\/${authority}${rest}|\\/(${character}+${rest})?`
  const absolute = `[A-Za-z][A-Za-z0-9+.-]*:(${rooted}|${character}+${rest}|)${tail}`
  // The first segment must not contain a colon, which would make a scheme of it.
  const relative = `(${rooted}|([${plain}@-]|${percent})+${rest}|)${tail}`
  return { absolute, any: `${absolute}|${relative}` }
}

const URI = references('')
const IRI = references('\\u00a0-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\uffef\\u{10000}-\\u{1fffd}\\u{20000}-\\u{2fffd}')

// RFC 6901, 3.
const POINTER = '(\\/([^~\\/]|~[01])*)*'

/**
 * The formats as regular expressions for the whole text. Other formats are annotations, as in JSON Schema. Those that
 * no regular expression of this size matches exactly are written by `format-expression.ts` if the text has no further
 * constraints.
 */
export const FORMATS: ReadonlyMap<string, string> = new Map([
  ['date', DATE],
  ['time', TIME],
  ['date-time', `${DATE}[Tt]${TIME}`],
  ['duration', DURATION],
  ['email', EMAIL],
  ['hostname', HOSTNAME],
  ['ipv4', IPV4],
  ['ipv6', IPV6],
  ['uuid', '[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}'],
  ['uri', URI.absolute],
  ['uri-reference', URI.any],
  ['iri', IRI.absolute],
  ['iri-reference', IRI.any],
  ['json-pointer', POINTER],
  ['relative-json-pointer', `(0|[1-9][0-9]{0,9})(#|${POINTER})`],
])

/** A text of this length cannot contain a label, a local part or a name that is too long. */
export const SHORT_TEXT = 63

/** The formats of texts of at most {@link SHORT_TEXT} characters, which can be counted together. */
export const SHORT_FORMATS: ReadonlyMap<string, string> = new Map([
  ['hostname', `${SHORT_LABEL}(\\.${SHORT_LABEL})*`],
  ['email', `${ATOM}+(\\.${ATOM}+)*@${SHORT_LABEL}(\\.${SHORT_LABEL})+`],
])
