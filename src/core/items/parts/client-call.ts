import { qualifiedName } from '../../recipients/qualified-name.js'
import type { ItemState } from '../item-state.js'

/** A call of one of the client's tools: a function or a custom tool. */
export interface ClientCall extends ItemState {
  callId: string
  name: string
  /** The declared namespace of the tool. */
  namespace: string | null
}

interface Callee {
  readonly name: string
  readonly namespace?: string
}

/** The common part of both kinds. */
export const clientCall = {
  isRunByClient: true,

  calls: ({ name, namespace }: ClientCall): string => qualifiedName(name, namespace),

  create: ({ name, namespace }: Callee): Pick<ClientCall, 'callId' | 'name' | 'namespace'> => ({
    callId: '',
    name,
    namespace: namespace ?? null,
  }),
} as const

/** Returns the namespace in an item's wire form, if it has one. */
export function namespaceOf({ namespace }: ClientCall): { namespace?: string } {
  return namespace == null ? {} : { namespace }
}
