import type { ShellOutput } from '../responses/items.js'

/** What commands printed and how they ended, as the model reads it. One that ended well is its output alone. */
export function shellText(outputs: readonly ShellOutput[]): string {
  return outputs
    .map(({ stdout, stderr, outcome }) => {
      const code = outcome.type === 'exit' ? outcome.exit_code : 0
      const ending = outcome.type === 'timeout' ? '[timed out]' : code === 0 ? '' : `[exit code ${code}]`
      return linesOf(stdout, stderr, ending)
    })
    .join('\n')
}

/** The texts that are not empty, a line each. */
export function linesOf(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n')
}
