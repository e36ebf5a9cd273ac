/** The message of a workflow command, which ends at its line. */
export const escaped = (text) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

/** Ends the step with the exit code of wrong usage, and says on the run's page what was expected of an input. */
export function refuse(input, expected, got) {
  process.stderr.write(`::error::${escaped(`${input}: expected ${expected}, got ${JSON.stringify(got)}`)}\n`)
  process.exit(2)
}
