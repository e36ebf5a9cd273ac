import type { OutputItemByType } from '../../responses/items.js'

/** The types of items that calls of built-in tools can become. */
type CallType = Extract<keyof OutputItemByType, `${string}_call`>

/** Who runs the calls. `environment`: the host those in its container, the client those elsewhere. */
export type Runner = 'host' | 'client' | 'environment'

/** Where a declared shell runs: in the host's container, on the client's machine, or unspecified (null). */
export type DeclaredEnvironment = 'container' | 'local' | null

/** A namespace that the system message teaches. Without tools, its description defines the input. */
export interface BuiltinNamespace {
  readonly name: string
  readonly description: string
  readonly tools: readonly { readonly name: string; readonly description: string; readonly parameters: object }[]
}

/** The tool that an MCP server offers in place of a built-in tool, if its label is the tool's. */
export interface Replacement {
  readonly label: string
  readonly tool: string
}

/**
 * A descriptor: all facts about a built-in tool except the wire form and the events of its item (`translate/items/`).
 * Every fact is required. Code that teaches, demands, runs, inserts or answers calls reads them here and keeps no list
 * of its own.
 *
 * @typeParam Type - the type of the item that a call becomes
 * @typeParam Callee - the part of it that the recipient determines
 */
export interface Builtin<
  Type extends CallType = CallType,
  Run extends Runner = Runner,
  Callee extends { readonly kind: Type } = { readonly kind: Type },
> {
  readonly item: Type
  readonly runBy: Run
  /** Returns the callee. @param action - the recipient's; @param environment - the declared shell's */
  callee(action: string | undefined, environment: DeclaredEnvironment): Callee
  /**
   * Returns the namespace that the system message teaches; null if the tool is taught as one of the client's functions.
   */
  namespace(): BuiltinNamespace | null
  /** The address in the header of a demanded call: a recipient, or the namespace in which the model chooses one. */
  readonly address: string
  /** The channel in which models call it. */
  readonly channel: 'analysis' | 'commentary'
  /** The format of a call's body. */
  readonly body: 'json' | 'code' | 'text'
  readonly replacedBy: Replacement | null
  /** An empty call, for asking the host's tools whether they run such calls; null: no host does. */
  readonly example: Run extends 'client' ? null : OutputItemByType[Type]
  /** Whether the host runs the item's call while the model waits. */
  isHosted(item: OutputItemByType[Type]): boolean
  /** Whether a call that the host runs still lacks a result, according to its own item. */
  isWaiting(item: OutputItemByType[Type]): boolean
  /** Whether a host may insert such an item into the output. Never true if clients run the tool. */
  readonly isInsertable: boolean
  /** Returns the recipient to which a call was written, from its item. */
  recipientOf(item: OutputItemByType[Type]): string
  /** Returns the `action` of {@link callee}, from the item. */
  actionOf(item: OutputItemByType[Type]): string | undefined
}
