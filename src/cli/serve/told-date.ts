import { UsageError } from '../io.js'

/**
 * Returns the date that the model is told at a time in Unix seconds, by --date and --time-zone; undefined: by UTC.
 *
 * @throws UsageError
 */
export function toldDate(
  date: string | undefined,
  timeZone: string | undefined,
): ((at: number) => string | undefined) | undefined {
  if (timeZone !== undefined) {
    if (date !== undefined)
      throw new UsageError('--time-zone: expected no --date beside it, since a given date does not depend on the zone')
    const format = formatOf(timeZone)
    return (at) => format.format(new Date(at * 1000))
  }
  if (date === undefined) return undefined
  if (date === 'none') return () => undefined
  if (!isDate(date)) throw new UsageError(`--date: expected YYYY-MM-DD or none, got ${JSON.stringify(date)}`)
  return () => date
}

/** Canada writes dates as YYYY-MM-DD. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  } catch {
    throw new UsageError(`--time-zone: expected a time zone such as Europe/Rome, got ${JSON.stringify(timeZone)}`)
  }
}

/** Whether a text is a day that the calendar has. */
function isDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`)
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}
