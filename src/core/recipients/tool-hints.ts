import type { McpListing } from '../responses/mcp-listing.js'
import type { ReadOnlyHints } from './mcp-server.js'

/** A listing in either form; one without an error succeeded. */
export type Listed = Pick<McpListing, 'serverLabel' | 'tools'> & { readonly error?: string | null }

/**
 * Looks up which tools exist, and which are read-only, by their annotations in either form. A server whose listings all
 * failed has none: a call of it could not be told from one of a tool that it does not have.
 */
export function hintsOf(listings: readonly Listed[]): ReadOnlyHints {
  // Built at the first look-up: most responses call no tool of a server.
  let index: ReadonlyMap<string, ReadonlyMap<string, boolean>> | undefined
  return (serverLabel, name) => {
    index ??= indexOf(listings)
    const hints = index.get(serverLabel)
    return hints && (hints.get(name) ?? null)
  }
}

/** Maps each tool of each server to whether it is read-only. The first listing of a tool counts. */
function indexOf(listings: readonly Listed[]): Map<string, Map<string, boolean>> {
  const servers = new Map<string, Map<string, boolean>>()
  for (const { serverLabel, tools = [], error } of listings) {
    const hints = servers.get(serverLabel) ?? new Map<string, boolean>()
    servers.set(serverLabel, hints)
    if (error != null) continue
    for (const { name, annotations } of tools) {
      const { readOnlyHint, read_only } = Object(annotations) as { readOnlyHint?: unknown; read_only?: unknown }
      if (!hints.has(name)) hints.set(name, (readOnlyHint ?? read_only) === true)
    }
  }
  return servers
}
