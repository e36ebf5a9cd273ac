/** The rules whose violations explain a violation of one rule. */
export interface PossibleCauses {
  /** Violations about the same item. */
  readonly item?: readonly string[]
  /** Violations at the same event. */
  readonly event?: readonly string[]
  /** Violations anywhere earlier in the stream. */
  readonly stream?: readonly string[]
}

/** The same causes for several rules. */
export const causesOfAll = (rules: readonly string[], causes: PossibleCauses): Record<string, PossibleCauses> =>
  Object.fromEntries(rules.map((rule) => [rule, causes]))
