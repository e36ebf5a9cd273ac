import type { MessageSpan } from '../../prompt/prompt-message.js'

/** The ids of a prompt, up to the first result that is still to come. */
export interface PromptIds {
  /** The ids, excluding the `<|start|>assistant` that begins every turn. */
  readonly ids: Uint32Array
  /**
   * For each approval request whose call is to be run, in the order of the calls, the ids that follow its result: the
   * results of later calls of the same turn. None if absent.
   */
  readonly idsAfter?: ReadonlyMap<string, Uint32Array>
}

/** The first prompt of a response. */
export interface FirstPrompt extends PromptIds {
  /** The number of input ids of the first model call, except for results that are still to come. */
  readonly size: number
  /** The number of messages that are not instructions. */
  readonly messageCount: number
  /** Where each of its messages stands. Absent if it continues an earlier rendering. */
  readonly messages?: readonly MessageSpan[]
  readonly untaught: readonly string[]
  readonly placeholders: number
}
