import type { ItemBase } from './item-base.js'
import { qualifiedName } from './qualified-name.js'

/** A call of one of the client's tools: a function or a custom tool. */
export interface ClientCall extends ItemBase {
  callId: string
  name: string
  /** The declared namespace that the tool is in. */
  namespace: string | null
}

interface Callee {
  readonly name: string
  readonly namespace?: string
}

/** What the kinds of both have in common. */
export const clientCall = {
  isRunByClient: true,

  calls: ({ name, namespace }: ClientCall): string => qualifiedName(name, namespace),

  create: ({ name, namespace }: Callee): Pick<ClientCall, 'callId' | 'name' | 'namespace'> => ({
    callId: '',
    name,
    namespace: namespace ?? null,
  }),
} as const

/** The namespace in an item's wire form, if it has one. */
export function namespaceOf({ namespace }: ClientCall): { namespace?: string } {
  return namespace == null ? {} : { namespace }
}
