import type { OpenEntry } from '../journal/entry.js'
import type { Classifier } from '../recipients/classify.js'
import type { DeclaredTools } from '../recipients/declared-tools.js'
import { type PolicyName, type RecipientPolicy, resolvePolicy } from '../recipients/policy.js'
import { hintsOf } from '../recipients/tool-hints.js'
import { FULL_CATALOG } from '../translate/full-catalog.js'
import { listingsOf } from '../translate/mcp-listing.js'

/** The tools of a response, and what the messages of its model become: as its translator has both. */
export interface ResponseTools {
  readonly declared: DeclaredTools
  readonly classify: Classifier
}

export function responseTools(open: OpenEntry, policy?: RecipientPolicy | PolicyName): ResponseTools {
  const { request, knownListings = [] } = open
  const state = { request, listings: listingsOf(open.listings) }
  const options = { knownListings }
  const declared = FULL_CATALOG.declareTools(request.tools, hintsOf(open.listings), options)
  return { declared, classify: FULL_CATALOG.createClassifier(state, declared, resolvePolicy(policy), options) }
}
