// The official parser and renderer as wasm, loaded from the installed packages alone: they ask for files with fetch.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const VOCABULARY = 'http://harmony.invalid/'

/** @returns {Promise<() => import('openai-harmony').JsStreamableParser>} */
export async function loadOfficialParser() {
  const { harmony, encoding } = await load()
  return () => new harmony.JsStreamableParser(encoding, 'assistant')
}

/**
 * With its dropping of analysis off, which is not ours.
 *
 * @returns {Promise<(messages: object[]) => Uint32Array>} the prompt of an answer to these messages, in its own form
 */
export async function loadOfficialRenderer() {
  const { encoding } = await load()
  const keepAll = { auto_drop_analysis: false }
  return (messages) => encoding.renderConversationForCompletion({ messages }, 'assistant', keepAll)
}

async function load() {
  const before = globalThis.fetch
  globalThis.fetch = async (input, init) => {
    const url = String(input?.url ?? input)
    if (url.startsWith('file:')) {
      return new Response(await readFile(fileURLToPath(url)), { headers: { 'content-type': 'application/wasm' } })
    }
    if (!url.startsWith(VOCABULARY)) return before(input, init)
    const path = createRequire(import.meta.url).resolve('gpt-tokenizer/data/o200k_base.tiktoken')
    // The package parses the response's url, which is empty in one made by hand.
    return Object.defineProperty(new Response(await readFile(path)), 'url', { value: url })
  }
  try {
    const harmony = await import('openai-harmony')
    const encoding = await harmony.load_harmony_encoding('HarmonyGptOss', VOCABULARY)
    return { harmony, encoding }
  } finally {
    globalThis.fetch = before
  }
}
