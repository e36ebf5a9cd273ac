import type { Fields } from '../../fields.js'
import type { CallResult } from '../../responses/call-result.js'
import type { BuiltinItems, BuiltinWires } from '../../responses/items.js'

/** The types of items that calls of built-in tools become. */
type CallType = keyof BuiltinItems

/** Who runs the calls: for `environment`, the host those in its container, and the client those elsewhere. */
export type Runner = 'host' | 'client' | 'environment'

/** Where a declared shell runs: in the host's container, on the client's machine, or unspecified (null). */
export type DeclaredEnvironment = 'container' | 'local' | null

/** The fields of results that are of the tool whose calls become items of this type. */
type DataOf<Type> = keyof Extract<BuiltinWires[keyof BuiltinWires], { item: { type: Type } }>['result']

/** A namespace that the system message teaches. Without tools, the input is what its description says. */
export interface BuiltinNamespace {
  readonly name: string
  readonly description: string
  readonly tools: readonly { readonly name: string; readonly description: string; readonly parameters: object }[]
}

/** A call that a client sends back, as the model wrote it. */
export interface WrittenCall {
  readonly recipient: string
  readonly content: string
  /** What the model read of its result, if the item has it. The results of a client's calls are items of their own. */
  readonly result?: string | undefined
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
  /**
   * The recipients that are calls of it, each with its `action`; null where there is none. The patch tool has none here: its
   * name is among the client's functions (`request-classifier.ts`).
   */
  readonly recipients: Readonly<Record<string, string | null>>
  /** What a call becomes. @param action - of its recipient; @param environment - of the declared shell */
  callee(action: string | undefined, environment: DeclaredEnvironment): Callee
  /** What the system message teaches; null if the tool is taught among the client's functions. */
  namespace(): BuiltinNamespace | null
  /** What the header of a call names that is demanded: a recipient, or the namespace in which the model chooses one. */
  readonly address: string
  /** The channel in which the models call it. */
  readonly channel: 'analysis' | 'commentary'
  /** Where they write the recipient of a call: before the channel, or after it. */
  readonly recipientAfter: 'role' | 'channel'
  /** What they write in the body of a call. */
  readonly body: 'json' | 'code' | 'text'
  readonly replacedBy: Replacement | null
  /** A call with nothing in it, by which tools of the host are asked whether they run such calls; null: none does. */
  readonly example: Run extends 'client' ? null : BuiltinItems[Type]
  /** Whether the host runs the call of an item, and the model waits for it. */
  isHosted(item: BuiltinItems[Type]): boolean
  /** Whether a call that the host runs has no result yet, as far as its own item says. */
  isWaiting(item: BuiltinItems[Type]): boolean
  /** Whether a host may put such an item into the output. Not what clients run. */
  readonly isInsertable: boolean
  /** The recipient that a call was written to, from its item. */
  recipientOf(item: BuiltinItems[Type]): string
  /** The `action` of {@link callee}, from the item. */
  actionOf(item: BuiltinItems[Type]): string | undefined
  /** What an item asks for: the code, the command, the query. Plain JSON, for logs. */
  asked(item: BuiltinItems[Type]): unknown
  /**
   * What of a written call its item shows. Equal for a call in a transcript and one that {@link written} makes of its item:
   * by it, an item that comes back finds what was sampled.
   *
   * @param content - the body of the call
   */
  shown(content: string, action: string | undefined): string
  /**
   * The call of an item that a client sends back; undefined if it is none of the model's, but the host's own.
   *
   * @param param - the item's path, for errors
   * @param isDeclared - whether the request has the tool
   * @throws RequestError if a field is no such thing as it has to be
   */
  written(item: Fields, param: string, isDeclared: boolean): WrittenCall | undefined
  /** The fields of a result that have data of this tool: lists. */
  readonly data: readonly DataOf<Type>[]
  /**
   * What the model reads of a result that has data of this tool and no `output`; undefined if it has none.
   *
   * @param callId - the id of the call's item
   */
  resultText(result: CallResult, callId: string): string | undefined
}
