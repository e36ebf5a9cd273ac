import { CODE_BITS, codeBit, type Layout, roundUp } from './layout.js'
import type { Rule } from './rules.js'

/** gpt-oss is a mixture of experts. Here all of them work on every token, each with half of the rules. */
export const EXPERTS = 2
/** The activation of gpt-oss cuts the gate off here. */
const GATE_LIMIT = 7
/** Strong enough that a gate is cut off at the limit where its rule holds, and far below zero where not. */
const GATE_STRENGTH = 40
/** More than 2, so that a rule weighs more than all shorter ones together. */
const WEIGHT_BASE = 3

/** The weights of a mixture-of-experts layer, the experts one after the other, each a row-major matrix. */
export interface ExpertWeights {
  /** Hidden units of one expert. */
  readonly units: number
  /** A row of all channels per unit. */
  readonly gate: Float32Array
  readonly up: Float32Array
  /** A row of all units per channel. */
  readonly down: Float32Array
}

/** The hidden units that each expert needs for so many rules. */
export function unitsFor(rules: number): number {
  return roundUp(Math.ceil(rules / EXPERTS))
}

/** A layer that adds nothing to the residual stream. */
export function silentExperts(layout: Layout, units: number): ExpertWeights {
  const size = EXPERTS * units * layout.channels
  return { units, gate: new Float32Array(size), up: new Float32Array(size), down: new Float32Array(size) }
}

/**
 * A layer that writes the code of the next token: a hidden unit per rule.
 *
 * A unit's gate compares the codes of the last tokens with those of its rule. Two equal codes multiply to 18, others to
 * 16 at most (a position before the first token: to 0), so a rule of `k` tokens holds where the sum is above 18k - 1,
 * and the sign of the difference survives any normalization. A unit that holds adds its token's code, the more the
 * longer its rule is, so the longest one decides.
 */
export function ruleExperts(layout: Layout, rules: readonly Rule[]): ExpertWeights {
  const units = unitsFor(rules.length)
  const weights = silentExperts(layout, units)
  for (const [index, { context, next }] of rules.entries()) {
    const expert = index % EXPERTS
    const unit = Math.floor(index / EXPERTS)

    const row = (expert * units + unit) * layout.channels
    for (const [distance, token] of context.entries()) {
      for (let bit = 0; bit < CODE_BITS; bit++) {
        weights.gate[row + layout.codeAt(distance) + bit] = GATE_STRENGTH * codeBit(token, bit)
      }
    }
    weights.gate[row + layout.one] = GATE_STRENGTH * (1 - CODE_BITS * context.length)

    // The engine takes the mean of the experts, because its router finds all of them equally good.
    const weight = (WEIGHT_BASE ** context.length * EXPERTS) / GATE_LIMIT
    for (let bit = 0; bit < CODE_BITS; bit++) {
      const column = expert * layout.channels + layout.next + bit
      weights.down[column * units + unit] = weight * codeBit(next, bit)
    }
  }
  return weights
}
