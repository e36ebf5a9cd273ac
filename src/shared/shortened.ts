/** Returns the beginning of a text of untrusted length. */
export function shortened(text: string, max: number = 60): string {
  return text.length > max ? `${text.slice(0, max)}...` : text
}
