import type { OpenEntry } from '../journal/entry.js'
import type { Classifier } from '../recipients/classify.js'
import { type DeclaredTools, declareTools } from '../recipients/declared-tools.js'
import { type PolicyName, type RecipientPolicy, resolvePolicy } from '../recipients/policy.js'
import { createRequestClassifier } from '../recipients/request-classifier.js'
import { hintsOf } from '../recipients/tool-hints.js'

/** The tools of a response, and what the messages of its model become: as its translator has both. */
export interface ResponseTools {
  readonly declared: DeclaredTools
  readonly classify: Classifier
}

export function responseTools(open: OpenEntry, policy?: RecipientPolicy | PolicyName): ResponseTools {
  const { request, knownListings = [] } = open
  const listings = [...open.listings, ...knownListings]
  const declared = declareTools(request.tools, hintsOf(listings))
  const facts = { toolChoice: request.tool_choice, listings }
  return { declared, classify: createRequestClassifier(facts, declared, resolvePolicy(policy)) }
}
