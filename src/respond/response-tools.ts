import type { OpenEntry } from '../journal/entry.js'
import type { Classifier } from '../recipients/classify.js'
import { type DeclaredTools, declareTools } from '../recipients/declared-tools.js'
import { type PolicyName, type RecipientPolicy, resolvePolicy } from '../recipients/policy.js'
import { hintsOf } from '../recipients/tool-hints.js'
import { FULL_CATALOG } from '../translate/full-catalog.js'

/** The tools of a response, and what the messages of its model become: as its translator has both. */
export interface ResponseTools {
  readonly declared: DeclaredTools
  readonly classify: Classifier
}

export function responseTools(open: OpenEntry, policy?: RecipientPolicy | PolicyName): ResponseTools {
  const { request, knownListings = [] } = open
  const listings = [...open.listings, ...knownListings]
  const declared = declareTools(request.tools, hintsOf(listings))
  return { declared, classify: FULL_CATALOG.createClassifier(request, listings, declared, resolvePolicy(policy)) }
}
