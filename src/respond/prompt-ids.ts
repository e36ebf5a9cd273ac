/** The first prompt of a response. */
export interface FirstPrompt {
  /** How many ids the first model call takes in. */
  readonly size: number
  /** The ids, without the `<|start|>assistant` that every turn begins with. */
  readonly ids: Uint32Array
  /** How many messages there are besides instructions. */
  readonly said: number
  readonly untaught: readonly string[]
  readonly placeholders: number
}
