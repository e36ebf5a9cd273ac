/** The first prompt of a response. */
export interface FirstPrompt {
  /** The number of input ids of the first model call. */
  readonly size: number
  /** The ids, excluding the `<|start|>assistant` that begins every turn. */
  readonly ids: Uint32Array
  /** The number of messages that are not instructions. */
  readonly messageCount: number
  readonly untaught: readonly string[]
  readonly placeholders: number
}
