/**
 * Whether a text matches a page. A line `...` of the page stands for any lines, and `...` within a line for any text.
 */
export function hasShown(text: string, shown: string): boolean {
  const pattern = shown
    .trimEnd()
    .split('\n')
    // Not `.`, which stands for no U+2028, and for no CR: what is printed may have either.
    .map((line) => (line === '...' ? '(?:[^\\n]*\\n)*?' : `${line.split('...').map(escaped).join('[^\\n]*')}\\n`))
  return new RegExp(`^${pattern.join('')}$`).test(`${text.trimEnd()}\n`)
}

function escaped(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')
}
