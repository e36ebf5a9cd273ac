import type { AdminPart } from './types.js'

/** A part of a server that can be asked whether it answers. */
export interface CheckedPart extends Pick<AdminPart, 'type' | 'name'> {
  /** Resolves if it answers. @param signal - aborts when the answer is no longer awaited */
  readonly check: (signal: AbortSignal) => Promise<unknown>
}

/** How long a part may take to answer, in seconds. */
const PART_SECONDS = 5

/** What is said of a failing part: an error of its own may contain its address. */
const WHY: Readonly<Record<AdminPart['type'], string>> = {
  engine: 'The engine does not answer, or takes no calls now.',
  mcp: 'The MCP server does not answer.',
  store: 'The store does not answer.',
}

/** Asks all parts at once. @param report - receives their errors */
export async function checkParts(
  parts: readonly CheckedPart[],
  now: () => number,
  report: (error: unknown) => void,
): Promise<readonly AdminPart[]> {
  return await Promise.all(
    parts.map(async ({ type, name, check }) => {
      const began = now()
      const about = (health: AdminPart['health']): AdminPart => {
        const seconds = (now() - began) / 1000
        return { type, name, health, why: health === 'ok' ? null : WHY[type], seconds }
      }
      try {
        await inTime(check)
        return about('ok')
      } catch (error) {
        report(error)
        return about('failing')
      }
    }),
  )
}

/** Awaits a check. One that ignores its signal is left behind. */
async function inTime(check: CheckedPart['check']): Promise<void> {
  const signal = AbortSignal.timeout(PART_SECONDS * 1000)
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  late.catch(() => {})
  await Promise.race([check(signal), late])
}
