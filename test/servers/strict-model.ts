import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadTokenTable } from '../../src/core/tokens/load-token-table.js'
import { writeTokenizer } from './model/tokenizer.js'
import { CONTEXT } from './model/write-models.js'

/**
 * A model of another family than gpt-oss, whose weights the server draws at random (`--load-format dummy`). Its chat template
 * refuses what templates refuse: instructions in mid-conversation, two messages of one role in a row, results without their
 * calls, arguments that are no object.
 */
export const STRICT_MODEL_FLAGS = [
  '--load-format',
  'dummy',
  '--enable-auto-tool-choice',
  '--tool-call-parser',
  'hermes',
] as const

/** Writes it. Returns its folder. */
export async function writeStrictModel(folder: string): Promise<string> {
  const path = join(folder, 'strict')
  mkdirSync(path, { recursive: true })
  writeTokenizer(path, await loadTokenTable())
  writeFileSync(join(path, 'chat_template.jinja'), TEMPLATE)
  writeFileSync(join(path, 'config.json'), JSON.stringify(CONFIG))
  return path
}

const CONFIG = {
  ...{ architectures: ['Qwen2ForCausalLM'], model_type: 'qwen2', dtype: 'bfloat16', torch_dtype: 'bfloat16' },
  ...{ hidden_size: 128, intermediate_size: 256, num_hidden_layers: 2, num_attention_heads: 2, num_key_value_heads: 2 },
  ...{ hidden_act: 'silu', rms_norm_eps: 1e-6, rope_theta: 10_000, max_position_embeddings: CONTEXT },
  ...{ vocab_size: 201_088, tie_word_embeddings: true, use_cache: true, attention_dropout: 0, initializer_range: 0.02 },
  ...{ bos_token_id: 199_998, eos_token_id: 200_002, use_sliding_window: false },
} as const

const TEMPLATE = `{%- for m in messages -%}
{%- if m.role == 'system' and not loop.first -%}{{ raise_exception('the system message is not the first') }}{%- endif -%}
{%- if not loop.first and m.role != 'tool' and loop.previtem.role == m.role -%}
{{ raise_exception('two messages of ' + m.role) }}{%- endif -%}
{%- if m.role == 'tool' and (loop.first or loop.previtem.role not in ['assistant', 'tool']) -%}
{{ raise_exception('a result without a call') }}{%- endif -%}
{%- if m.tool_calls and (loop.last or loop.nextitem.role != 'tool') -%}{{ raise_exception('a call without a result') }}{%- endif -%}
{%- for call in m.tool_calls or [] -%}
{%- if call.function.arguments is not mapping -%}{{ raise_exception('arguments that are no object') }}{%- endif -%}
{%- endfor -%}
[{{ m.role }}] {{ m.content }}
{% endfor -%}`
