import type { Server } from '@modelcontextprotocol/server'

export function fixtureServer(options?: { extra?: number; declaring?: number; die?: () => void }): {
  readonly server: Server
  /** The events, in order: `list`, `call NAME`, `hangs`, `cancelled`. */
  readonly seen: readonly string[]
  until(event: string): Promise<void>
}
