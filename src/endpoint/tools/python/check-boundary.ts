import type { Session } from './session.js'

/** How long a first session may take to start, in milliseconds. */
const START_MS = 60_000

/** Starts as many processes as it can, up to some more than are allowed. */
const FORKS = `
import os, signal
children = []
try:
    for _ in range(MAX + 8):
        child = os.fork()
        if child == 0:
            signal.pause()
        children.append(child)
except OSError:
    pass
for child in children:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
print(len(children))
`

/**
 * Runs a cell in a first session, and ends it.
 *
 * @param maxProcesses - the bound that has to hold
 * @returns what is wrong; undefined if nothing is
 */
export async function checkBoundary(session: Session, maxProcesses: number): Promise<string | undefined> {
  const { output, died, stopped } = await session.run(
    FORKS.replace('MAX', `${maxProcesses}`),
    AbortSignal.timeout(START_MS),
  )
  session.close()
  if (stopped !== undefined) return 'its first session did not start'
  if (died !== undefined) return `its first session ended: ${died.split('\n').join('; ')}`
  if (!/^\d+\n$/.test(output)) return `its first session said: ${output.trim().split('\n').at(-1)}`
  return Number(output) > maxProcesses ? `it does not bound the number of processes to ${maxProcesses}` : undefined
}
