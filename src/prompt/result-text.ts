import type { CallResult } from '../responses/call-result.js'
import type { CodeOutput, ShellOutput } from '../responses/items.js'

/*
 * The result of a call as text for the model. The same functions read fresh results of the host and items that a client
 * sends back, so that the next prompt contains exactly the text that the model saw.
 */

/** Returns the output of code, without images, which gpt-oss cannot see. */
export function printedText(outputs: readonly Partial<CodeOutput>[]): string {
  return outputs.map((output) => ('logs' in output && output.logs !== undefined ? output.logs : '[image]')).join('\n')
}

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

/** Returns the text of a result. An error follows the tool's earlier output. */
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

/** Joins the non-empty texts, one per line. */
function linesOf(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n')
}
