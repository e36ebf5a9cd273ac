import type { Constraint } from '../../contract/constraint.js'
import type { GenerateOptions, Sampling } from '../../contract/index.js'
import type { PromptFields } from '../../contract/prompt-fields.js'

/** One model call, with defaults filled in. */
export interface HttpCall {
  readonly prompt: readonly number[]
  readonly sampling: Required<Omit<Sampling, 'seed'>> & Pick<Sampling, 'seed'>
  /** The parameters that the caller gave itself. */
  readonly given: Sampling
  readonly promptFields: PromptFields | undefined
  readonly stop: readonly number[]
  readonly maxTokens: number | undefined
  readonly logprobs: number | undefined
  /** A constraint that the server enforces, according to the protocol's capabilities. */
  readonly constraint: Constraint | undefined
  /** The headers of its trace context. */
  readonly trace: Readonly<Record<string, string>>
  readonly cacheSalt: string | undefined
  readonly retryWithinMs: number
  readonly onUsage: GenerateOptions['onUsage']
}
