import type { ShellOutput } from '../responses/items.js'

/** Returns the output and exit of commands. For a successful one, that is its output alone. */
export function shellText(outputs: readonly ShellOutput[]): string {
  return outputs
    .map(({ stdout, stderr, outcome }) => {
      const code = outcome.type === 'exit' ? outcome.exit_code : 0
      const ending = outcome.type === 'timeout' ? '[timed out]' : code === 0 ? '' : `[exit code ${code}]`
      return linesOf(stdout, stderr, ending)
    })
    .join('\n')
}

/** Joins the non-empty texts, one per line. */
export function linesOf(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n')
}
