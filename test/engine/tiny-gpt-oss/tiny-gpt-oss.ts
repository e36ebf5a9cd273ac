import { SPECIAL, VOCABULARY_SIZE } from '../../../src/core/harmony/vocabulary.js'
import {
  type AttentionWeights,
  HEAD_SIZE,
  headCount,
  lookBackAttention,
  NORM_EPSILON,
  ROPE_BASE,
  silentAttention,
  WINDOW,
} from './attention.js'
import { codeMatrix } from './code-matrix.js'
import { EXPERTS, type ExpertWeights, ruleExperts, silentExperts } from './experts.js'
import { type MetadataValue, TENSOR_TYPE, type Tensor, writeGguf } from './gguf-writer.js'
import { type Layout, layoutFor } from './layout.js'
import { compileRules, type Script } from './rules.js'
import { vocabularyMetadata } from './vocabulary.js'

export interface TinyGptOssOptions {
  readonly scripts: readonly Script[]
  /** How many tokens the model looks back: if these are equal, the same token follows. Default 9. */
  readonly history?: number
  /**
   * The next token if no script continues; `any`: each is as likely. Default `<|return|>`, so that a prompt without a
   * script ends at once.
   */
  readonly fallback?: number | 'any'
  /**
   * The confidence of the model. At 10 the scripted token has the probability 1, so it comes at any temperature; at 0.7
   * it has about 0.85, and the others share the rest.
   */
  readonly sharpness?: number
}

/** The first layer, a sliding-window one, does everything. The second is one of full attention, as gpt-oss has them. */
const LAYERS = 2
/** The context that the model claims to be trained for, as gpt-oss's. */
const CONTEXT_LENGTH = 131_072
/** GGUF's number for files that are mostly MXFP4. The engine only prints it. */
const FILE_TYPE_MXFP4 = 38

/**
 * Writes a tiny but genuine gpt-oss model, 46 MB, that emits scripts: the engine loads and runs it as it would any
 * other, and what it samples is known beforehand. Nothing is trained; the weights spell out a table of rules.
 *
 * A token is embedded as the binary digits of its id. The first layer's attention copies the codes of the last tokens
 * into channels of their own, its experts compare them with the rules' contexts and write the code of the token that
 * follows, and the output matrix finds the token whose code that is.
 */
export function writeTinyGptOss(path: string, options: TinyGptOssOptions): void {
  const { scripts, history = 9, fallback = SPECIAL.return, sharpness = 10 } = options
  const layout = layoutFor(history)
  const rules = [...(fallback === 'any' ? [] : [{ context: [], next: fallback }]), ...compileRules(scripts, history)]
  const experts = ruleExperts(layout, rules)

  const tensors = [
    codeMatrix('token_embd.weight', layout.channels, layout.codeAt(0), layout.one),
    ...layerTensors(0, layout, lookBackAttention(layout), experts),
    ...layerTensors(1, layout, silentAttention(layout), silentExperts(layout, experts.units)),
    vector('output_norm.weight', filled(layout.channels, sharpness)),
    codeMatrix('output.weight', layout.channels, layout.next),
  ]
  writeGguf(path, { ...modelMetadata(layout, experts.units), ...vocabularyMetadata() }, tensors)
}

function modelMetadata(layout: Layout, units: number): Record<string, MetadataValue> {
  const u32 = (value: number): MetadataValue => ({ type: 'u32', value })
  const f32 = (value: number): MetadataValue => ({ type: 'f32', value })
  return {
    'general.architecture': { type: 'string', value: 'gpt-oss' },
    'general.type': { type: 'string', value: 'model' },
    'general.name': { type: 'string', value: 'tiny scripted gpt-oss' },
    'general.file_type': u32(FILE_TYPE_MXFP4),
    'general.quantization_version': u32(2),
    'gpt-oss.block_count': u32(LAYERS),
    'gpt-oss.context_length': u32(CONTEXT_LENGTH),
    'gpt-oss.embedding_length': u32(layout.channels),
    'gpt-oss.feed_forward_length': u32(units),
    'gpt-oss.attention.head_count': u32(headCount(layout)),
    'gpt-oss.attention.head_count_kv': u32(1),
    'gpt-oss.attention.key_length': u32(HEAD_SIZE),
    'gpt-oss.attention.value_length': u32(HEAD_SIZE),
    'gpt-oss.attention.layer_norm_rms_epsilon': f32(NORM_EPSILON),
    'gpt-oss.attention.sliding_window': u32(WINDOW),
    'gpt-oss.rope.freq_base': f32(ROPE_BASE),
    'gpt-oss.expert_count': u32(EXPERTS),
    'gpt-oss.expert_used_count': u32(EXPERTS),
    'gpt-oss.expert_feed_forward_length': u32(units),
    'gpt-oss.vocab_size': u32(VOCABULARY_SIZE),
  }
}

/** All tensors of a layer; the engine wants each of them. Those that the rules do not need are zeros. */
function layerTensors(layer: number, layout: Layout, attention: AttentionWeights, experts: ExpertWeights): Tensor[] {
  const { channels } = layout
  const { units } = experts
  const heads = headCount(layout)
  const queries = heads * HEAD_SIZE
  const name = (part: string): string => `blk.${layer}.${part}`
  return [
    vector(name('attn_norm.weight'), filled(channels, 1)),
    zeros(name('attn_q.weight'), channels, queries),
    vector(name('attn_q.bias'), attention.queryBias),
    zeros(name('attn_k.weight'), channels, HEAD_SIZE),
    vector(name('attn_k.bias'), attention.keyBias),
    tensor(name('attn_v.weight'), attention.value, channels, HEAD_SIZE),
    zeros(name('attn_v.bias'), HEAD_SIZE),
    tensor(name('attn_output.weight'), attention.output, queries, channels),
    zeros(name('attn_output.bias'), channels),
    vector(name('attn_sinks.weight'), attention.sinks),
    vector(name('post_attention_norm.weight'), filled(channels, 1)),
    zeros(name('ffn_gate_inp.weight'), channels, EXPERTS),
    zeros(name('ffn_gate_inp.bias'), EXPERTS),
    tensor(name('ffn_gate_exps.weight'), experts.gate, channels, units, EXPERTS),
    zeros(name('ffn_gate_exps.bias'), units, EXPERTS),
    tensor(name('ffn_up_exps.weight'), experts.up, channels, units, EXPERTS),
    zeros(name('ffn_up_exps.bias'), units, EXPERTS),
    tensor(name('ffn_down_exps.weight'), experts.down, units, channels, EXPERTS),
    zeros(name('ffn_down_exps.bias'), channels, EXPERTS),
  ]
}

function tensor(name: string, values: Float32Array, ...shape: number[]): Tensor {
  return { name, shape, type: TENSOR_TYPE.f32, data: new Uint8Array(values.buffer) }
}

function vector(name: string, values: Float32Array): Tensor {
  return tensor(name, values, values.length)
}

function zeros(name: string, ...shape: number[]): Tensor {
  return tensor(name, new Float32Array(shape.reduce((product, size) => product * size, 1)), ...shape)
}

function filled(length: number, value: number): Float32Array {
  return new Float32Array(length).fill(value)
}
