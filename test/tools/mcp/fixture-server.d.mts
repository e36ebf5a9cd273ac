import type { Server } from '@modelcontextprotocol/server'

export function fixtureServer(options?: { extra?: number; die?: () => void }): {
  readonly server: Server
  /** What happened, in order: `list`, `call NAME`, `hangs`, `cancelled`. */
  readonly seen: readonly string[]
  until(event: string): Promise<void>
}
