import type { Rule } from '../../engine/tiny-gpt-oss/rules.js'
import {
  CODE_BITS,
  CONSTANTS,
  codeBit,
  EXPERTS,
  HEAD_SIZE,
  HEADS,
  HIDDEN,
  KEY_VALUE_HEADS,
  LAYERS,
  NEXT,
  ONE,
  slotOf,
} from './layout.js'
import { bestRotation, type Rotation, SCALE } from './rotary.js'
import { HISTORY } from './scripts.js'

/** gpt-oss's vocabulary, with the ids that have no token. */
const VOCABULARY = 201_088

/** A weight by its name in a checkpoint, in row-major order. */
export interface Tensor {
  readonly name: string
  readonly shape: readonly number[]
  readonly data: Float32Array
}

export interface Weights {
  readonly tensors: readonly Tensor[]
  /** How many units each expert has. */
  readonly units: number
  readonly rotation: Rotation
}

const zeros = (length: number): Float32Array => new Float32Array(length)

/**
 * A genuine gpt-oss of two layers whose weights spell out a table of rules. A token is embedded as the binary digits of its
 * id. The first layer's attention copies the digits of the last tokens into channels of their own, its experts compare them
 * with the rules' contexts, and write the digits of the token that follows; the output matrix finds the token whose digits
 * those are. Every number that decides anything is exact in 16 bits.
 */
export function spellOut(rules: readonly Rule[], sharpness: number): Weights {
  const rotation = bestRotation()
  const blocks = blocksOf(rules)
  const units = Math.max(128, Math.ceil(blocks.length / EXPERTS / 4) * 4 * BLOCK)
  const layers = Array.from({ length: LAYERS }, (_, layer) => {
    const isAtWork = layer === 0
    const prefix = `model.layers.${layer}.`
    return [
      { name: `${prefix}input_layernorm.weight`, shape: [HIDDEN], data: zeros(HIDDEN).fill(1) },
      { name: `${prefix}post_attention_layernorm.weight`, shape: [HIDDEN], data: zeros(HIDDEN).fill(1) },
      ...attention(`${prefix}self_attn.`, isAtWork ? rotation : undefined),
      { name: `${prefix}mlp.router.weight`, shape: [EXPERTS, HIDDEN], data: zeros(EXPERTS * HIDDEN) },
      { name: `${prefix}mlp.router.bias`, shape: [EXPERTS], data: zeros(EXPERTS) },
      ...experts(`${prefix}mlp.experts.`, units, isAtWork ? blocks : []),
    ]
  })
  return { tensors: [...vocabulary(sharpness), ...layers.flat()], units, rotation }
}

function vocabulary(sharpness: number): Tensor[] {
  const [embedding, head] = [zeros(VOCABULARY * HIDDEN), zeros(VOCABULARY * HIDDEN)]
  for (let id = 0; id < VOCABULARY; id++) {
    for (let digit = 0; digit < CODE_BITS; digit++) {
      embedding[id * HIDDEN + digit] = codeBit(id, digit)
      head[id * HIDDEN + NEXT + digit] = codeBit(id, digit)
    }
    for (const [index, constant] of CONSTANTS.entries()) embedding[id * HIDDEN + ONE + index] = constant
  }
  return [
    { name: 'model.embed_tokens.weight', shape: [VOCABULARY, HIDDEN], data: embedding },
    { name: 'lm_head.weight', shape: [VOCABULARY, HIDDEN], data: head },
    { name: 'model.norm.weight', shape: [HIDDEN], data: zeros(HIDDEN).fill(sharpness) },
  ]
}

/** By how much the score of the right position is above that of any other; the sink lies in the middle. */
const MARGIN = 48

/** One head for each token back: it looks at that distance alone. A layer without a rotation looks at nothing. */
function attention(prefix: string, rotation: Rotation | undefined): Tensor[] {
  const [queries, keys] = [zeros(HEADS * HEAD_SIZE), zeros(KEY_VALUE_HEADS * HEAD_SIZE)]
  const values = zeros(KEY_VALUE_HEADS * HEAD_SIZE * HIDDEN)
  const output = zeros(HIDDEN * HEADS * HEAD_SIZE)
  const sinks = zeros(HEADS)
  if (rotation !== undefined) {
    const { frequencies, gap } = rotation
    const square = (MARGIN * Math.sqrt(HEAD_SIZE)) / (gap * SCALE ** 2)
    const length = Math.sqrt(square)
    const peak = (square * SCALE ** 2 * (HEAD_SIZE / 2)) / Math.sqrt(HEAD_SIZE)
    const half = HEAD_SIZE / 2
    for (let group = 0; group < KEY_VALUE_HEADS; group++) {
      keys.fill(length, group * HEAD_SIZE, group * HEAD_SIZE + half)
      // Exact: the first norm multiplies by 2.
      for (let digit = 0; digit < CODE_BITS; digit++) values[(group * HEAD_SIZE + digit) * HIDDEN + digit] = 0.5
    }
    for (let head = 0; head < HISTORY - 1; head++) {
      const distance = head + 1
      for (const [index, frequency] of frequencies.entries()) {
        queries[head * HEAD_SIZE + index] = length * Math.cos(distance * frequency)
        queries[head * HEAD_SIZE + half + index] = -length * Math.sin(distance * frequency)
      }
      sinks[head] = peak - MARGIN / 2
      for (let digit = 0; digit < CODE_BITS; digit++) {
        output[(slotOf(distance) + digit) * HEADS * HEAD_SIZE + head * HEAD_SIZE + digit] = 1
      }
    }
  }
  const [wide, narrow] = [HEADS * HEAD_SIZE, KEY_VALUE_HEADS * HEAD_SIZE]
  return [
    { name: `${prefix}q_proj.weight`, shape: [wide, HIDDEN], data: zeros(wide * HIDDEN) },
    { name: `${prefix}q_proj.bias`, shape: [wide], data: queries },
    { name: `${prefix}k_proj.weight`, shape: [narrow, HIDDEN], data: zeros(narrow * HIDDEN) },
    { name: `${prefix}k_proj.bias`, shape: [narrow], data: keys },
    { name: `${prefix}v_proj.weight`, shape: [narrow, HIDDEN], data: values },
    { name: `${prefix}v_proj.bias`, shape: [narrow], data: zeros(narrow) },
    { name: `${prefix}o_proj.weight`, shape: [HIDDEN, wide], data: output },
    { name: `${prefix}o_proj.bias`, shape: [HIDDEN], data: zeros(HIDDEN) },
    { name: `${prefix}sinks`, shape: [HEADS], data: sinks },
  ]
}

/** Units of one block belong to rules of one length. */
const BLOCK = 32
/** The magnitude of an open or closed gate. */
const GATE = 64

function blocksOf(rules: readonly Rule[]): Rule[][] {
  const byLength = new Map<number, Rule[]>()
  for (const rule of rules) {
    const same = byLength.get(rule.context.length) ?? []
    byLength.set(rule.context.length, same)
    same.push(rule)
  }
  return [...byLength.values()].flatMap((same) =>
    Array.from({ length: Math.ceil(same.length / BLOCK) }, (_, nth) => same.slice(nth * BLOCK, (nth + 1) * BLOCK)),
  )
}

/** One unit for each rule: its gate opens where all digits of the context are the rule's. */
function experts(prefix: string, units: number, blocks: readonly (readonly Rule[])[]): Tensor[] {
  const gates = zeros(EXPERTS * 2 * units * HIDDEN)
  const gateBias = zeros(EXPERTS * 2 * units)
  const down = zeros(EXPERTS * HIDDEN * units)
  // Units without a rule stay closed. Rows of gates and of their values alternate.
  if (blocks.length > 0) for (let row = 0; row < gateBias.length; row += 2) gateBias[row] = -GATE
  for (const [nth, block] of blocks.entries()) {
    for (const [place, { context, next }] of block.entries()) {
      const expert = nth % EXPERTS
      const unit = Math.floor(nth / EXPERTS) * BLOCK + place
      const row = (expert * 2 * units + 2 * unit) * HIDDEN
      for (const [distance, token] of context.entries()) {
        for (let digit = 0; digit < CODE_BITS; digit++) {
          gates[row + slotOf(distance) + digit] = GATE * codeBit(token, digit)
        }
      }
      gateBias[expert * 2 * units + 2 * unit] = 0
      // Exact: its magnitude has 8 bits.
      gates[row + ONE] = GATE * (1 - CODE_BITS * context.length)
      for (let digit = 0; digit < CODE_BITS; digit++) {
        // A longer rule outweighs all shorter ones.
        down[(expert * HIDDEN + NEXT + digit) * units + unit] = 4 ** context.length * codeBit(next, digit)
      }
    }
  }
  return [
    {
      name: `${prefix}gate_up_proj`,
      shape: [EXPERTS, HIDDEN, 2 * units],
      data: transposed(gates, [EXPERTS, 2 * units, HIDDEN]),
    },
    { name: `${prefix}gate_up_proj_bias`, shape: [EXPERTS, 2 * units], data: gateBias },
    { name: `${prefix}down_proj`, shape: [EXPERTS, units, HIDDEN], data: transposed(down, [EXPERTS, HIDDEN, units]) },
    { name: `${prefix}down_proj_bias`, shape: [EXPERTS, HIDDEN], data: zeros(EXPERTS * HIDDEN) },
  ]
}

/** A checkpoint of 16 bits has the matrices of experts the other way around. */
function transposed(data: Float32Array, [experts, rows, columns]: readonly [number, number, number]): Float32Array {
  const turned = zeros(data.length)
  for (let expert = 0; expert < experts; expert++) {
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        turned[(expert * columns + column) * rows + row] = data[(expert * rows + row) * columns + column] ?? 0
      }
    }
  }
  return turned
}
