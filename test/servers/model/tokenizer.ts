import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TokenTable } from '../../../src/core/tokens/token-table.js'

/** How gpt-oss splits a text before it is encoded. */
const PIECES = [
  "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
  "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
  '\\p{N}{1,3}',
  ' ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*',
  '\\s*[\\r\\n]+',
  '\\s+(?!\\S)',
  '\\s+',
].join('|')

/** As gpt-oss's own tokenizer names them, from 199998 on. */
const SPECIAL = [
  ...['startoftext', 'endoftext', 'reserved_200000', 'reserved_200001', 'return', 'constrain', 'reserved_200004'],
  ...['channel', 'start', 'end', 'message', 'reserved_200009', 'reserved_200010', 'reserved_200011', 'call'],
  ...['reserved_200013', 'reserved_200014', 'reserved_200015', 'reserved_200016', 'reserved_200017', 'endofprompt'],
] as const
const FIRST_SPECIAL = 199_998

/** The file from which vLLM's own Harmony parser makes its vocabulary. */
export function writeTiktoken(path: string, table: TokenTable): void {
  let lines = ''
  for (let id = 0; id < table.size; id++) lines += `${Buffer.from(table.bytes(id)).toString('base64')} ${id}\n`
  writeFileSync(path, lines)
}

/** The tokenizer's files of a model, as transformers reads them. */
export function writeTokenizer(folder: string, table: TokenTable): void {
  const write = (name: string, value: unknown): void =>
    writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value))
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true }
  const added = SPECIAL.map((name, index) => ({ id: FIRST_SPECIAL + index, content: `<|${name}|>`, ...flags }))
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true }
  const split = { type: 'Split', pattern: { Regex: PIECES }, behavior: 'Isolated', invert: false }
  const ends = { bos_token: '<|startoftext|>', eos_token: '<|return|>', pad_token: '<|endoftext|>' }
  write('tokenizer.json', {
    ...{ version: '1.0', truncation: null, padding: null, added_tokens: added, normalizer: null },
    pre_tokenizer: { type: 'Sequence', pretokenizers: [split, { ...byteLevel, use_regex: false }] },
    post_processor: { ...byteLevel, trim_offsets: false, use_regex: false },
    decoder: byteLevel,
    model: {
      ...{ type: 'BPE', dropout: null, unk_token: null, continuing_subword_prefix: null, end_of_word_suffix: null },
      ...{ fuse_unk: false, byte_fallback: false, ignore_merges: false },
      ...vocabularyOf(table),
    },
  })
  write('tokenizer_config.json', {
    added_tokens_decoder: Object.fromEntries(added.map(({ id, ...about }) => [id, about])),
    ...ends,
    ...{ clean_up_tokenization_spaces: false, extra_special_tokens: {}, model_max_length: 131_072 },
    ...{ model_input_names: ['input_ids', 'attention_mask'], tokenizer_class: 'PreTrainedTokenizerFast' },
  })
  write('special_tokens_map.json', ends)
  write('chat_template.jinja', CHAT_TEMPLATE)
}

/** Only its presence matters: this library sends ids. */
const CHAT_TEMPLATE =
  "{%- for m in messages -%}<|start|>{{ m.role }}{% if m.role == 'assistant' %}<|channel|>final{% endif %}" +
  '<|message|>{{ m.content }}<|end|>{%- endfor -%}{%- if add_generation_prompt -%}<|start|>assistant{%- endif -%}'

/** Tokens and the pairs that make them: every way to cut a token in two others, the lowest pair first. */
function vocabularyOf(table: TokenTable): { readonly vocab: Record<string, number>; readonly merges: string[][] } {
  const tokens = Array.from({ length: table.size }, (_, id) => printable(table.bytes(id)))
  const idOf = new Map(tokens.map((token, id) => [token, id]))
  const merges: string[][] = []
  for (const token of tokens.slice(256)) {
    const cuts: [string, string][] = []
    for (let at = 1; at < token.length; at++) {
      const cut: [string, string] = [token.slice(0, at), token.slice(at)]
      if (cut.every((part) => idOf.has(part))) cuts.push(cut)
    }
    const rank = (part: string): number => idOf.get(part) ?? 0
    merges.push(...cuts.sort(([a, b], [c, d]) => rank(a) - rank(c) || rank(b) - rank(d)))
  }
  return { vocab: Object.fromEntries(idOf), merges }
}

/** Bytes as the characters by which GPT-2's tokenizers write them. */
const CHARACTERS: readonly string[] = (() => {
  let next = 256
  const isPrintable = (byte: number): boolean =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xff && byte !== 0xad)
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isPrintable(byte) ? byte : next++))
})()

function printable(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => CHARACTERS[byte]).join('')
}
