import { check } from '../../shared/errors.js'
import type { checkCitations } from '../citations/check-citations.js'
import type { OutputSnapshot } from '../completion/current-item.js'
import type { KindTable } from '../items/kinds.js'
import type { Listing } from '../options/mcp-listing.js'
import type { TranslatorOptions } from '../options/options.js'
import type { ResolvedTools } from '../recipients/request-tools.js'
import { type EchoedFields, unknownToolTypes } from '../response-object/tool-fields.js'
import type { ResponseRequest } from '../responses/request.js'

/** The options that a catalog may lack. */
type CatalogOptions = Pick<
  TranslatorOptions,
  'policy' | 'mcpApproval' | 'citations' | 'containerId' | 'knownListings' | 'knownFiles'
>

/**
 * The scope of a translator: the kinds of output items, and the tools that a request may declare. Each entry point
 * passes its own, so that a bundle contains only what it needs.
 */
export interface Catalog {
  readonly kinds: KindTable
  /** Resolves the tools that a request declares, and the classifier of its messages. */
  resolveTools(request: ResponseRequest, listings: readonly Listing[], options: CatalogOptions): ResolvedTools
  /** The types of tools and their fields. The kinds of all items that these tools become are in `kinds`. */
  readonly fields: EchoedFields
  /**
   * Checks the citation stage. Absent if hosted tools are left out. Then their options are rejected, and so are unknown
   * tools: those are never called elsewhere, but here they may be among the tools that were left out.
   */
  readonly checkCitations?: typeof checkCitations
}

/** Where the missing tools are, for messages. */
const ELSEWHERE = 'an import of harmony-responses, not of its /core'

/**
 * Resolves the tools of a request. Throws if it declares an invalid tool, or one that the catalog lacks, or if the host
 * sets an option that it lacks: either would be ignored silently.
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function readTools(
  { resolveTools, fields, checkCitations }: Catalog,
  request: ResponseRequest,
  listings: readonly Listing[],
  options: CatalogOptions,
): ResolvedTools {
  const resolved = resolveTools(request, listings, options)
  checkCitations?.(options.citations)
  if (checkCitations === undefined) {
    for (const type of unknownToolTypes(request.tools ?? [], fields)) check(false, 'request.tools', ELSEWHERE, type)
    for (const name of ['citations', 'containerId', 'knownListings', 'knownFiles'] as const)
      check(options[name] === undefined, name, ELSEWHERE, name)
  }
  return resolved
}

/**
 * Throws if a snapshot has an item that the catalog cannot continue.
 *
 * @throws HarmonyResponsesError `bad_snapshot`
 */
export function checkItems({ kinds, checkCitations }: Catalog, { items, current }: OutputSnapshot): void {
  if (checkCitations !== undefined) return
  for (const item of [...items, ...(typeof current === 'object' && current !== null ? [current] : [])]) {
    const isCited = item.type === 'message' && item.citing !== null
    check(Object.hasOwn(kinds, item.type) && !isCited, 'snapshot', ELSEWHERE, item.type, 'bad_snapshot')
  }
}
