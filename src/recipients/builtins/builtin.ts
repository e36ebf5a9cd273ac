import type { OutputItemByType } from '../../responses/items.js'

/** The types of items that calls of built-in tools become. */
type CallType = Extract<keyof OutputItemByType, `${string}_call`>

/** Who runs the calls: for `environment`, the host those in its container, and the client those elsewhere. */
export type Runner = 'host' | 'client' | 'environment'

/** Where a declared shell runs: in the host's container, on the client's machine, or unspecified (null). */
export type DeclaredEnvironment = 'container' | 'local' | null

/** A namespace that the system message teaches. Without tools, the input is what its description says. */
export interface BuiltinNamespace {
  readonly name: string
  readonly description: string
  readonly tools: readonly { readonly name: string; readonly description: string; readonly parameters: object }[]
}

/** An MCP server that stands in for a built-in tool by its label: the tool of it that is called. */
export interface Replacement {
  readonly label: string
  readonly tool: string
}

/**
 * All that is known of a built-in tool, but for the wire form and the events of its item (`translate/items/`). Every fact
 * is required: what teaches, demands, runs, inserts and answers calls asks here, and has no list of its own.
 *
 * @typeParam Type - the type of the item that a call becomes
 * @typeParam Callee - what of it is decided by the recipient
 */
export interface Builtin<
  Type extends CallType = CallType,
  Run extends Runner = Runner,
  Callee extends { readonly kind: Type } = { readonly kind: Type },
> {
  readonly item: Type
  readonly runBy: Run
  /** What a call becomes. @param action - of its recipient; @param environment - of the declared shell */
  callee(action: string | undefined, environment: DeclaredEnvironment): Callee
  /** What the system message teaches; null if the tool is taught among the client's functions. */
  namespace(): BuiltinNamespace | null
  /** What the header of a call names that is demanded: a recipient, or the namespace in which the model chooses one. */
  readonly address: string
  /** The channel in which the models call it. */
  readonly channel: 'analysis' | 'commentary'
  /** What they write in the body of a call. */
  readonly body: 'json' | 'code' | 'text'
  readonly replacedBy: Replacement | null
  /** A call with nothing in it, by which tools of the host are asked whether they run such calls; null: none does. */
  readonly example: Run extends 'client' ? null : OutputItemByType[Type]
  /** Whether the host runs the call of an item, and the model waits for it. */
  isHosted(item: OutputItemByType[Type]): boolean
  /** Whether a call that the host runs has no result yet, as far as its own item says. */
  isWaiting(item: OutputItemByType[Type]): boolean
  /** Whether a host may put such an item into the output. Not what clients run. */
  readonly isInsertable: boolean
  /** The recipient that a call was written to, from its item. */
  recipientOf(item: OutputItemByType[Type]): string
  /** The `action` of {@link callee}, from the item. */
  actionOf(item: OutputItemByType[Type]): string | undefined
}
