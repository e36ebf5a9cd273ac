/** A block as an Anthropic SDK has assembled it so far. */
export interface AnthropicBlock<Text, Json extends string | undefined> {
  readonly type: unknown
  readonly name: unknown
  /** Its text, or its thinking. */
  readonly text: Text
  /** The input in its start. */
  readonly input: unknown
  /** The deltas of its input. */
  json: Json
  /** The pages that it cites; undefined if the SDK can add none to what its start has. */
  readonly citations: string[] | undefined
}

/** Whether an Anthropic SDK collects the input of a block. */
export const isCall = ({ type }: { readonly type: unknown }): boolean =>
  type === 'tool_use' || type === 'server_tool_use'
