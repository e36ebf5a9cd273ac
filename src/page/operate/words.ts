/** What stands where a figure is unknown. */
export const NONE = '–'

/** Says a number that is a rate or a count, with three digits. */
export function numberWords(value: number | null): string {
  if (value === null) return NONE
  return value < 9.95 && !Number.isInteger(value) ? value.toFixed(1) : Math.round(value).toLocaleString('en')
}

/** Says how long something took, or is under way. @param seconds - at least 0 */
export function durationWords(seconds: number | null): string {
  if (seconds === null) return NONE
  if (seconds === 0) return '0 s'
  if (seconds < 0.9995) return `${Math.round(seconds * 1000)} ms`
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Says a share. @param share - 0 to 1 */
export function shareWords(share: number | null): string {
  return share === null ? NONE : `${Math.round(share * 100)} %`
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** Says a number of bytes, in decimal units. */
export function bytesWords(bytes: number | null): string {
  if (bytes === null) return NONE
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1)
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${UNITS[power]}`
}

/** Says the time of a day here. @param at - Unix time in seconds */
export function timeWords(at: number, precision: 'minutes' | 'seconds' = 'seconds'): string {
  const seconds = precision === 'seconds' ? { second: '2-digit' as const } : {}
  return new Date(at * 1000).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', ...seconds })
}
