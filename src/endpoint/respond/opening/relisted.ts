import type { McpListing } from '../../../core/responses/mcp-listing.js'
import type { ResponseRequest } from '../../../core/responses/request.js'

/** Returns the listings that differ from the conversation's, which rendering its prompt again needs. */
export function relisted({ input }: ResponseRequest, listings: readonly McpListing[]): McpListing[] {
  if (listings.length === 0) return []
  const inConversation = new Map<unknown, string[]>()
  for (const item of Array.isArray(input) ? (input as readonly { readonly type?: unknown }[]) : []) {
    if (item.type !== 'mcp_list_tools') continue
    const { server_label: label, ...listing } = item as { readonly server_label?: unknown } & Omit<McpListing, 'label'>
    inConversation.set(label, [...(inConversation.get(label) ?? []), textOf(listing)])
  }
  return listings.filter((listing) => {
    const known = inConversation.get(listing.serverLabel) ?? []
    return known.length !== 1 || known[0] !== textOf(listing)
  })
}

function textOf({ tools = [], error }: Pick<McpListing, 'tools' | 'error'>): string {
  const listed = tools.map(({ name, description, input_schema, annotations }) => [
    name,
    description ?? null,
    input_schema ?? {},
    annotations ?? null,
  ])
  return JSON.stringify([listed, error ?? null])
}
