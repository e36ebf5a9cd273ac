/**
 * Whether a text is what a page shows. A line `...` of the page stands for any lines, and `...` within a line for any text.
 */
export function hasShown(text: string, shown: string): boolean {
  const pattern = shown
    .trimEnd()
    .split('\n')
    .map((line) => (line === '...' ? '(?:.*\\n)*?' : `${line.split('...').map(escaped).join('.*')}\\n`))
  return new RegExp(`^${pattern.join('')}$`).test(`${text.trimEnd()}\n`)
}

function escaped(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')
}
