/** The shades of tokens, by the least probability of each. */
export const SHADES: readonly { readonly least: number; readonly words: string }[] = [
  { least: 0.9, words: '90 % or more' },
  { least: 0.5, words: '50 to 90 %' },
  { least: 0.2, words: '20 to 50 %' },
  { least: 0.05, words: '5 to 20 %' },
  { least: 0, words: 'less than 5 %' },
]

/** Returns the class of a shade, with a space before it; none if the probability is not known. */
export function shadeOf(logprob: number | undefined): string {
  if (logprob === undefined) return ''
  const probability = Math.exp(logprob)
  return ` shade-${SHADES.findIndex(({ least }) => probability >= least)}`
}
