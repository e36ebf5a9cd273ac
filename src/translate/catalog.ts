import { check } from '../errors.js'
import type { Classifier } from '../recipients/classify.js'
import type { DeclaredTools } from '../recipients/declared-tools.js'
import type { ToolHints } from '../recipients/mcp-server.js'
import type { RecipientPolicy } from '../recipients/policy.js'
import type { UnknownTool } from '../responses/request.js'
import type { checkCitations } from './check-citations.js'
import type { KindTable } from './items/kinds.js'
import type { TranslatorOptions } from './options.js'
import type { OutputItemsSnapshot } from './output-items.js'
import { type EchoedFields, unknownToolTypes } from './tool-fields.js'
import type { TranslatorState } from './translator-state.js'

/** The options that a catalog may lack. */
type CatalogOptions = Pick<TranslatorOptions, 'citations' | 'containerId' | 'knownListings'>

/**
 * What a translator translates: the kinds of output items, and the tools that a request may declare. A door passes one
 * in, so that a bundle contains only what its door needs.
 */
export interface Catalog {
  readonly kinds: KindTable
  /** Reads the tools that a request declares. */
  declareTools(
    tools: readonly UnknownTool[] | null | undefined,
    hints: ToolHints | undefined,
    options: CatalogOptions,
  ): DeclaredTools
  /** Decides what a message becomes: what the request says beside its tools may narrow it. */
  createClassifier(
    state: Pick<TranslatorState, 'request' | 'listings'>,
    tools: DeclaredTools,
    policy: RecipientPolicy,
    options: CatalogOptions,
  ): Classifier
  /** The types of tools and their fields. The kinds of all items that these tools become are in `kinds`. */
  readonly fields: EchoedFields
  /**
   * Checks the citation stage. Absent if hosted tools are left out. Then neither their options may be set nor unknown
   * tools declared, which are otherwise never called: they may be among those that were left out.
   */
  readonly checkCitations?: typeof checkCitations
}

/** Where the rest is. */
const ELSEWHERE = 'an import of harmony-responses, not of its /core'

/**
 * Reads the tools of a request. Throws if it declares an invalid tool, or one that the catalog lacks, or if the host sets
 * an option that it lacks: they would be ignored silently.
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function readTools(
  { declareTools, fields, checkCitations }: Catalog,
  tools: readonly UnknownTool[] | null | undefined,
  options: CatalogOptions,
  hints?: ToolHints,
): DeclaredTools {
  const declared = declareTools(tools, hints, options)
  checkCitations?.(options.citations)
  if (checkCitations === undefined) {
    for (const type of unknownToolTypes(tools ?? [], fields)) check(false, 'request.tools', ELSEWHERE, type)
    for (const name of ['citations', 'containerId', 'knownListings'] as const)
      check(options[name] === undefined, name, ELSEWHERE, name)
  }
  return declared
}

/**
 * Throws if a snapshot has an item that the catalog cannot continue.
 *
 * @throws HarmonyResponsesError `bad_snapshot`
 */
export function checkItems({ kinds, checkCitations }: Catalog, { items, current }: OutputItemsSnapshot): void {
  if (checkCitations !== undefined) return
  for (const item of [...items, ...(typeof current === 'object' && current !== null ? [current] : [])]) {
    const isCited = item.type === 'message' && item.citing !== null
    check(Object.hasOwn(kinds, item.type) && !isCited, 'snapshot', ELSEWHERE, item.type, 'bad_snapshot')
  }
}
