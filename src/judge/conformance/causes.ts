import type { Violation } from './violation.js'

/** The rules whose violations explain a violation. `RULE:FIELD`: one about that field, or a field within it. */
export interface PossibleCauses {
  /** Violations about the same item. */
  readonly item?: readonly string[]
  /** Violations at the same event. */
  readonly event?: readonly string[]
  /** Violations anywhere earlier in the stream. */
  readonly stream?: readonly string[]
}

/** What a report reads of a rule, to find the cause of its violations, and what follows from them. */
export interface RuleCauses {
  /**
   * The fields that it is about, as paths in the event. `item.*`, or `*`, stands for the field that the message begins
   * with. @internal
   */
  readonly fields?: readonly string[]
  /** Its message begins with the path of a field. A rule for that field describes the problem better. @internal */
  readonly namesField?: true
  /** A lost, repeated or late event can break it: it checks the order of events, or joined texts. @internal */
  readonly needsOrder?: true
  /** Its violations explain all others at the same event: all of them, or those about these fields. @internal */
  readonly explainsEvent?: true | readonly string[]
  /** What may cause its violations. Default: each is its own cause. @internal */
  readonly causes?: PossibleCauses | ((violation: Violation) => PossibleCauses)
  /** What else may cause a violation about a field, for a rule that `namesField`. @internal */
  readonly causesOfField?: Readonly<Record<string, PossibleCauses>>
}
