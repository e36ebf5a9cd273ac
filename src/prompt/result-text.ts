import type { CallResult } from '../responses/call-result.js'
import type { CodeOutput, ShellOutput } from '../responses/items.js'

/*
 * How the result of a call reads to the model. The same functions read results that the host has just got and those of
 * items that a client sends back, so that the next prompt has the very text that the model saw.
 */

/** What code printed. gpt-oss cannot see images. */
export function printedText(outputs: readonly Partial<CodeOutput>[]): string {
  return outputs.map((output) => ('logs' in output && output.logs !== undefined ? output.logs : '[image]')).join('\n')
}

/** What commands printed and how they ended. One that ended well is its output alone. */
export function shellText(outputs: readonly ShellOutput[]): string {
  return outputs
    .map(({ stdout, stderr, outcome }) => {
      const code = outcome.type === 'exit' ? outcome.exit_code : 0
      const ending = outcome.type === 'timeout' ? '[timed out]' : code === 0 ? '' : `[exit code ${code}]`
      return linesOf(stdout, stderr, ending)
    })
    .join('\n')
}

/** The text of a result. An error follows what the tool had written before it. */
export function textOfResult(result: CallResult): string {
  const { output, outputs, shell, error, sources, pages } = result
  const given =
    output ??
    (outputs && printedText(outputs)) ??
    (shell && shellText(shell)) ??
    (pages ?? sources)
      ?.map((page) => ('title' in page && page.title ? `${page.title} (${page.url})` : page.url))
      .join('\n')
  return error === undefined ? (given ?? '') : linesOf(given ?? '', error.message)
}

/** The texts that are not empty, a line each. */
function linesOf(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n')
}
