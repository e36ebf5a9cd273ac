import { type RecipientPolicy, resolvePolicy } from '../../core/recipients/policy.js'
import { type RequestTools, resolveTools } from '../../core/recipients/request-tools.js'
import { readToolChoice } from '../../core/recipients/tool-choice.js'
import type { ResponseRequest } from '../../core/responses/request.js'
import { encoderOf } from '../../core/tokens/encoder.js'
import { Translator } from '../../core/translate/translator.js'
import { withDefaults } from '../../defaults.js'
import { merged } from '../../shared/merged.js'
import { atOnce } from '../../shared/slices.js'
import { type OpenEntry, translatorOptionsOf } from '../journal/entry.js'
import { ResponseFold } from '../journal/response-fold.js'
import type { TaughtTools } from '../prompt/taught-tools.js'
import { withAdditions } from './offered.js'
import { TRANSLATED, type TranslateEntriesOptions } from './options.js'
import { listingsOfEntry, promptedRequest, taughtTools } from './prompts/first-prompt.js'
import { SampledForms } from './sampled-forms.js'
import { type Budget, budgetOf } from './sampling/budget.js'

/**
 * A response, with each fact of its first entry resolved once: the translator, the budget and the tool calls share the
 * same values. Only the tools are resolved twice: from the request for the prompts, and from the first entry for
 * everything after, so that a process that takes over has the same tools.
 */
export class ResolvedResponse {
  readonly policy: RecipientPolicy
  readonly fold: ResponseFold
  readonly forms: SampledForms
  readonly #options: TranslateEntriesOptions
  #tools: RequestTools | undefined
  #taught: TaughtTools | undefined
  #budget: Budget | undefined

  /** @throws HarmonyResponsesError `bad_option` if the policy is invalid */
  constructor(options: TranslateEntriesOptions) {
    this.policy = resolvePolicy(options.policy, options.mcpApproval)
    this.#options = options
    this.forms = new SampledForms(options, () => this.tools)
    const assistant = encoderOf(options.tokenTable)('assistant')
    this.fold = new ResponseFold((open, clock) => this.#translator(open, clock), assistant)
  }

  /** The tools of the request, from the first entry. */
  get tools(): RequestTools {
    return this.#resolve(this.fold.open)
  }

  /** Replaces its budget, whose engine another process had. */
  useBudget(budget: Budget): void {
    this.#budget = budget
  }

  /** Returns its unused budget. @param turns - the maximum number of model calls */
  budget(turns: number): Budget {
    this.#budget ??= budgetOf(this.fold.open, this.tools, { tokenTable: this.#options.tokenTable, turns })
    return this.#budget
  }

  /**
   * Returns the tools of its prompts, from the request, which has the conversation, and the first entry. @throws
   * RequestError
   */
  taught(request: ResponseRequest): TaughtTools {
    if (this.#taught !== undefined) return this.#taught
    const { open } = this.fold
    const { isCompaction = false, prompt, operator } = open
    // biome-ignore lint/plugin: Entries contain names as plain text; a name that no tool has teaches nothing.
    const teaching = { listings: listingsOfEntry(open), hosted: prompt.hosted as never, policy: this.policy }
    this.#taught = atOnce(taughtTools(promptedRequest(withAdditions(request, operator), isCompaction), teaching))
    return this.#taught
  }

  /** Provides the tools of its prompts, resolved when it was opened. */
  giveTaught(tools: TaughtTools): void {
    this.#taught = tools
  }

  #resolve(open: OpenEntry): RequestTools {
    this.#tools ??= responseTools(open, this.policy)
    return this.#tools
  }

  #translator(open: OpenEntry, clock: () => number): Translator {
    const { tokenTable, sealReasoning, trace } = this.#options
    const given = Object.fromEntries(
      TRANSLATED.flatMap((name) => (name in this.#options ? [[name, this.#options[name]]] : [])),
    )
    const { forms, fold } = this
    const isTold = sealReasoning !== undefined && forms.isAsked(open)
    const options = withDefaults(
      merged(given, {
        ...{ tokenTable, clock, ...translatorOptionsOf(open) },
        ...(trace && { trace }),
        ...(isTold && {
          sealReasoning: (text: string, id: string) => sealReasoning(text, id, forms.ofReasoning(fold, text, id)),
        }),
      }),
    )
    return new Translator(options, undefined, () => this.#resolve(open))
  }
}

/** Returns the tools of a response, from its first entry: for its translator, its budget and its calls. */
function responseTools(
  { request, operator, listings, knownListings = [] }: OpenEntry,
  policy: RecipientPolicy,
): RequestTools {
  const { tools, tool_choice: choice, text } = withAdditions(request, operator)
  return resolveTools({ tools, text, choice: readToolChoice(choice) }, [...listings, ...knownListings], policy)
}
