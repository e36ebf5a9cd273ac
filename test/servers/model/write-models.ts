import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import { compileRules, type Rule } from '../../engine/tiny-gpt-oss/rules.js'
import { type TinyGptOssOptions, writeTinyGptOss } from '../../engine/tiny-gpt-oss/tiny-gpt-oss.js'
import { deleteMade } from '../delete-made.js'
import { fingerprintOf } from '../fingerprint.js'
import { EXPERTS, HEAD_SIZE, HEADS, HIDDEN, KEY_VALUE_HEADS, LAYERS, NORM_EPSILON, WINDOW } from './layout.js'
import { probedScripts } from './probed.js'
import { YARN } from './rotary.js'
import { writeSafetensors } from './safetensors.js'
import { HISTORY, headerScripts, sureScripts } from './scripts.js'
import { spellOut, type Weights } from './tensors.js'
import { writeTiktoken, writeTokenizer } from './tokenizer.js'

/** `sure` plays the scripts, `probed` what the probe asks; `rand` is certain of two headers, and draws all other tokens at random. */
export type ModelName = 'sure' | 'rand' | 'probed'

/** For vLLM, SGLang and transformers, 210 MB a model; for llama.cpp, 80 MB. */
export type ModelFormat = 'safetensors' | 'gguf'

/** The limit of prompt and answer that servers are started with. */
export const CONTEXT = 4096
const [STARTOFTEXT, ENDOFTEXT, RETURN, CALL] = [199_998, 199_999, 200_002, 200_012]

/** What each model plays, and what follows where no script goes on: the end, or any token. */
const MODELS: Readonly<Record<ModelName, () => Pick<TinyGptOssOptions, 'scripts' | 'fallback'>>> = {
  sure: () => ({ scripts: sureScripts(), fallback: RETURN }),
  rand: () => ({ scripts: headerScripts(), fallback: 'any' }),
  probed: () => ({ scripts: probedScripts(), fallback: RETURN }),
}

/** A folder, or a file of llama.cpp. */
export function modelPath(folder: string, name: ModelName, format: ModelFormat): string {
  return format === 'gguf' ? join(folder, 'gguf', `${name}.gguf`) : join(folder, name)
}

/** Writes both models in some formats, where they are not there yet. */
export async function writeModels(folder: string, formats: readonly ModelFormat[]): Promise<void> {
  if (formats.includes('safetensors')) await writeCheckpoints(folder)
  if (formats.includes('gguf')) await writeGgufs(folder)
}

/** Writes them with the vocabulary of vLLM's Harmony parser. */
async function writeCheckpoints(folder: string): Promise<void> {
  const table = await loadTokenTable()
  await whole(join(folder, 'tok'), (path) => writeTiktoken(join(path, 'o200k_base.tiktoken'), table))
  for (const [name, played] of Object.entries(MODELS)) {
    await whole(join(folder, name), (path) => {
      const { scripts, fallback } = played()
      const end: Rule[] = typeof fallback === 'number' ? [{ context: [], next: fallback }] : []
      const weights = spellOut([...end, ...compileRules(scripts, HISTORY)], 10)
      writeSafetensors(join(path, 'model.safetensors'), weights.tensors)
      writeFileSync(join(path, 'config.json'), configText(weights))
      writeFileSync(join(path, 'generation_config.json'), JSON.stringify(GENERATION))
      writeTokenizer(path, table)
    })
  }
}

async function writeGgufs(folder: string): Promise<void> {
  await whole(join(folder, 'gguf'), (path) => {
    for (const [name, played] of Object.entries(MODELS)) {
      writeTinyGptOss(join(path, `${name}.gguf`), { ...played(), history: HISTORY })
    }
  })
}

/** A folder that is there is whole, and stays if it was made by the files here as they are now. */
async function whole(path: string, fill: (path: string) => void): Promise<void> {
  const made = 'made-by'
  const madeBy = fingerprintOf(makers())
  if (existsSync(join(path, made)) && readFileSync(join(path, made), 'utf8') === madeBy) return
  const draft = `${path}.draft`
  for (const old of [path, draft]) deleteMade(old, made)
  mkdirSync(draft, { recursive: true })
  writeFileSync(join(draft, made), '')
  fill(draft)
  writeFileSync(join(draft, made), madeBy)
  renameSync(draft, path)
}

function makers(): readonly string[] {
  return [new URL('.', import.meta.url), new URL('../../engine/tiny-gpt-oss/', import.meta.url)].flatMap((folder) =>
    readdirSync(folder)
      .sort()
      .map((file) => fileURLToPath(new URL(file, folder))),
  )
}

const GENERATION = {
  ...{ bos_token_id: STARTOFTEXT, do_sample: true, eos_token_id: [RETURN, ENDOFTEXT, CALL], pad_token_id: ENDOFTEXT },
}

function configText({ units, rotation }: Weights): string {
  const config = {
    ...{ architectures: ['GptOssForCausalLM'], model_type: 'gpt_oss', attention_bias: true, attention_dropout: 0 },
    ...{ bos_token_id: STARTOFTEXT, eos_token_id: RETURN, pad_token_id: ENDOFTEXT },
    ...{ dtype: 'bfloat16', torch_dtype: 'bfloat16', hidden_act: 'silu', initializer_range: 0.02 },
    ...{ experts_per_token: EXPERTS, num_experts_per_tok: EXPERTS, num_local_experts: EXPERTS },
    ...{ head_dim: HEAD_SIZE, hidden_size: HIDDEN, intermediate_size: units, num_hidden_layers: LAYERS },
    ...{ num_attention_heads: HEADS, num_key_value_heads: KEY_VALUE_HEADS, sliding_window: WINDOW },
    ...{ initial_context_length: 4096, max_position_embeddings: CONTEXT, rms_norm_eps: NORM_EPSILON },
    layer_types: ['sliding_attention', 'full_attention'],
    output_router_logits: false,
    ...{ rope_scaling: YARN, rope_theta: rotation.base, rope_parameters: { ...YARN, rope_theta: rotation.base } },
    ...{ router_aux_loss_coef: 0.9, tie_word_embeddings: false, use_cache: true, vocab_size: 201_088 },
    swiglu_limit: 7,
  }
  // transformers refuses an integer here.
  return JSON.stringify(config).replace(/"swiglu_limit":7\b/, '"swiglu_limit":7.0')
}
