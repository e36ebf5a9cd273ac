import type { SessionNames } from './metric.js'

/** Longer values are no names. */
const MOST_CHARACTERS = 128

/**
 * Returns the session of a request from Claude Code's headers: to find requests of one session in a log, and for a
 * balancer that keeps them together. It identifies no user.
 */
export function sessionNames(header: (name: string) => string | undefined): SessionNames | null {
  const nameIn = (name: string): string | null => {
    const printable = header(`x-claude-code-${name}`)
      ?.slice(0, MOST_CHARACTERS)
      .replace(/[^\x21-\x7e]/g, '')
    return printable || null
  }
  const id = nameIn('session-id')
  return id === null ? null : { id, agent: nameIn('agent-id'), parentAgent: nameIn('parent-agent-id') }
}
