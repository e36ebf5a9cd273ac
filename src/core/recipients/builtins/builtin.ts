import type { Fields } from '../../../shared/fields.js'
import type { CallResult } from '../../responses/call-result.js'
import type { BuiltinItems, BuiltinWires } from '../../responses/items.js'

/** The types of items that calls of built-in tools can become. */
type CallType = keyof BuiltinItems

/** The party that runs the calls. `environment`: the host runs those in its container, the client all others. */
export type Runner = 'host' | 'client' | 'environment'

/** Where a declared shell runs: in the host's container, on the client's machine, or unspecified (null). */
export type DeclaredEnvironment = 'container' | 'local' | null

/** The fields of a result that belong to the tool with items of this type. */
type DataOf<Type> = keyof Extract<BuiltinWires[keyof BuiltinWires], { item: { type: Type } }>['result']

/** A namespace that the system message teaches. Without tools, its description defines the input. */
export interface BuiltinNamespace {
  readonly name: string
  readonly description: string
  readonly tools: readonly { readonly name: string; readonly description: string; readonly parameters: object }[]
}

/** A call in the form in which the model wrote it, rebuilt from an item that a client sends back. */
export interface WrittenCall {
  readonly recipient: string
  readonly content: string
  /** The text of its result, if the item contains it. Calls that clients run have separate items for their results. */
  readonly result?: string | undefined
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
  /**
   * Maps its recipients to their `action`, or to null without one. Empty for the patch tool, which is named like a function
   * of the client's (`request-classifier.ts`).
   */
  readonly recipients: Readonly<Record<string, string | null>>
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
  /** The position of the recipient in the header of a call that comes back: after the role, or after the channel. */
  readonly recipientAfter: 'role' | 'channel'
  /** The format of a call's body. */
  readonly body: 'json' | 'code' | 'text'
  readonly replacedBy: Replacement | null
  /** An empty call, for asking the host's tools whether they run such calls; null: no host does. */
  readonly example: Run extends 'client' ? null : BuiltinItems[Type]
  /** Whether the host runs the item's call while the model waits. */
  isHosted(item: BuiltinItems[Type]): boolean
  /** Whether a call that the host runs still lacks a result, according to its own item. */
  isWaiting(item: BuiltinItems[Type]): boolean
  /** Whether a host may insert such an item into the output. Never true if clients run the tool. */
  readonly isInsertable: boolean
  /** Returns the recipient to which a call was written, from its item. */
  recipientOf(item: BuiltinItems[Type]): string
  /** Returns the `action` of {@link callee}, from the item. */
  actionOf(item: BuiltinItems[Type]): string | undefined
  /** Returns the request in an item, for logs: the code, the command, the query. Plain JSON. */
  asked(item: BuiltinItems[Type]): unknown
  /**
   * Returns the part of a call's body that its item shows. It is equal for the sampled call and for the one that
   * {@link written} rebuilds from the item; without that, a returning item would not match the sampled tokens.
   *
   * @param content - the body of the call
   */
  shown(content: string, action: string | undefined): string
  /**
   * Rebuilds the call from an item that a client sends back; undefined if the host inserted the item, not the model.
   *
   * @param param - the item's path, for errors
   * @param isDeclared - whether the request declares the tool
   * @throws RequestError if a field has the wrong type
   */
  written(item: Fields, param: string, isDeclared: boolean): WrittenCall | undefined
  /** The fields of a result that contain data of this tool. Each is a list. */
  readonly data: readonly DataOf<Type>[]
  /**
   * Formats this tool's data in a result for the model, which reads it if there is no `output`; undefined without such data.
   *
   * @param callId - the id of the call's item
   */
  resultText(result: CallResult, callId: string): string | undefined
}
