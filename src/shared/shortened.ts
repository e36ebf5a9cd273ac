/** Returns the beginning of a text of untrusted length. */
export function shortened(text: string, most: number = 60): string {
  return text.length > most ? `${text.slice(0, most)}...` : text
}
