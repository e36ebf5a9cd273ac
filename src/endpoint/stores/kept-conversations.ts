import { bytesOf } from './bytes-of.js'
import type { KeptResponse, NamedConversation } from './kept-response.js'
import type { ConversationFacts, ConversationTurn, FoundConversation } from './store.js'

/** The named conversations in memory: as many as their last responses at most. */
export class KeptConversations {
  readonly #all = new Map<string, NamedConversation>()
  #bytes = 0

  /** The bytes of what is kept about them. */
  get bytes(): number {
    return this.#bytes
  }

  find(conversationId: string, owner: string): (NamedConversation & { readonly last: KeptResponse }) | undefined {
    const found = this.#all.get(nameOf(conversationId, owner))
    return found?.last === undefined ? undefined : (found as NamedConversation & { readonly last: KeptResponse })
  }

  mayOpen({ conversationId, last }: ConversationTurn, owner: string): boolean {
    const found = this.#all.get(nameOf(conversationId, owner))
    if (last === undefined) return found === undefined
    return found !== undefined && found.last?.responseId === last && found.open === undefined
  }

  open({ conversationId, facts }: ConversationTurn, response: KeptResponse): void {
    const name = nameOf(conversationId, response.owner)
    const known = this.#all.get(name)
    const conversation = known ?? { name, facts: facts as ConversationFacts, last: undefined, open: undefined }
    if (known === undefined) {
      this.#all.set(name, conversation)
      this.#bytes += bytesOf(conversation.facts)
    }
    conversation.open = response
    response.named = conversation
  }

  /** @param joins - whether the response becomes the last one */
  end(response: KeptResponse, joins: boolean): void {
    const { named } = response
    if (named?.open !== response) return
    if (joins) named.last = response
    this.#close(named)
  }

  /** Called when a response is deleted or evicted. */
  forget(response: KeptResponse): void {
    const { named } = response
    if (named?.last === response) this.delete(named)
    else if (named?.open === response) this.#close(named)
  }

  update(named: NamedConversation, facts: ConversationFacts): void {
    this.#bytes += bytesOf(facts) - bytesOf(named.facts)
    named.facts = facts
  }

  delete(named: NamedConversation): void {
    // Its name may belong to another one by now.
    if (this.#all.get(named.name) !== named) return
    this.#all.delete(named.name)
    this.#bytes -= bytesOf(named.facts)
  }

  #close(named: NamedConversation): void {
    named.open = undefined
    if (named.last === undefined) this.delete(named)
  }
}

export function foundConversation({
  facts,
  last,
  open,
}: NamedConversation & { readonly last: KeptResponse }): FoundConversation {
  return { facts, last: last.responseId, ...(open && { open: open.responseId }) }
}

function nameOf(conversationId: string, owner: string): string {
  return JSON.stringify([owner, conversationId])
}
