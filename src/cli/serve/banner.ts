import { createPaint, plain, wrap } from '../terminal-text.js'
import type { Screen } from '../timeline-layout.js'

export interface BannerOptions {
  readonly version: string
  /** Where it listens: `http://127.0.0.1:8000`. */
  readonly url: string
  /** What answers: `a scripted model`. */
  readonly engine: string
  readonly models: readonly string[]
  readonly hasKey: boolean
  /** The environment variable that has the key. */
  readonly keyVariable: string
  /** Whether what it seals opens after a restart. */
  readonly hasSealKeys: boolean
  /** Where responses are kept; undefined for the memory of the process. */
  readonly store: string | undefined
  /** The file of the keys of seals that was made for the store; undefined if they are elsewhere. */
  readonly keyFile: string | undefined
  /** The environment variable that may have the keys of seals. */
  readonly sealKeysVariable: string
}

/** What `serve` prints when it listens: where it is, and what to paste to use it. */
export function banner(options: BannerOptions, { columns, hasColors }: Screen): string {
  const paint = createPaint(hasColors)
  const { version, url, engine, models, hasKey } = options
  const about = `${engine}; ${models.length === 1 ? 'model' : 'models'} ${models.join(', ')}; ${hasKey ? 'asks for the key' : 'no key'}`
  const blocks = [
    ['curl', curl(options)],
    ['JavaScript: npm install openai', javascript(options)],
    ['Python: pip install openai', python(options)],
    ['Codex: ~/.codex/config.toml', codex(options)],
    ['Claude Code', claudeCode(options)],
  ] as const
  return [
    `${paint(`harmony-responses ${version} listens on ${url}/v1`, 'bold')}\n`,
    ...wrap(plain(about), columns, 2).map((line) => `${line}\n`),
    ...aboutRestart(options)
      .flatMap((text) => wrap(plain(text), columns, 2))
      .map((line) => `${line}\n`),
    ...blocks.map(([title, lines]) => `\n${paint(title, 'cyan')}\n${lines.map((line) => `  ${line}\n`).join('')}`),
    `\n${paint('Ctrl-C ends it when its responses are over; a second one at once.', 'dim')}\n`,
  ].join('')
}

/** What a restart loses: nothing, where responses and the keys of seals outlive the process. */
function aboutRestart({ hasSealKeys, sealKeysVariable, store, keyFile }: BannerOptions): string[] {
  return [
    store === undefined ? 'no --store: nothing that it keeps survives a restart' : `keeps responses in ${store}`,
    ...(keyFile === undefined ? [] : [`keys of what it seals for clients are in ${keyFile}: keep them with it`]),
    ...(hasSealKeys ? [] : [`no ${sealKeysVariable}: a restart loses what it sealed for clients`]),
  ]
}

function curl({ url, hasKey, keyVariable }: BannerOptions): string[] {
  return [
    `curl -N ${url}/v1/responses \\`,
    ...(hasKey ? [`  -H "authorization: Bearer $${keyVariable}" \\`] : []),
    "  -H 'content-type: application/json' \\",
    `  -d '{"input": ${JSON.stringify(QUESTION)}, "stream": true}'`,
  ]
}

function javascript({ url, models, hasKey, keyVariable }: BannerOptions): string[] {
  return [
    "import OpenAI from 'openai'",
    'const client = new OpenAI({',
    `  baseURL: '${url}/v1',`,
    `  apiKey: ${hasKey ? `process.env.${keyVariable}` : "'none'"},`,
    '})',
    'const response = await client.responses.create({',
    `  model: ${quoted(models[0])},`,
    `  input: ${quoted(QUESTION)},`,
    '})',
    'console.log(response.output_text)',
  ]
}

function python({ url, models, hasKey, keyVariable }: BannerOptions): string[] {
  return [
    ...(hasKey ? ['import os'] : []),
    'from openai import OpenAI',
    `client = OpenAI(base_url="${url}/v1",`,
    `                api_key=${hasKey ? `os.environ["${keyVariable}"]` : '"none"'})`,
    `response = client.responses.create(model=${JSON.stringify(models[0])},`,
    `                                   input=${JSON.stringify(QUESTION)})`,
    'print(response.output_text)',
  ]
}

function codex({ url, models, hasKey, keyVariable }: BannerOptions): string[] {
  return [
    `model = ${JSON.stringify(models[0])}`,
    'model_provider = "harmony"',
    '[model_providers.harmony]',
    'name = "harmony-responses"',
    `base_url = "${url}/v1"`,
    'wire_api = "responses"',
    'supports_websockets = true',
    ...(hasKey ? [`env_key = "${keyVariable}"`] : []),
  ]
}

function claudeCode({ url, models, hasKey, keyVariable }: BannerOptions): string[] {
  const model = shellWord(models[0])
  return [
    `export ANTHROPIC_BASE_URL=${url}`,
    `export ANTHROPIC_API_KEY=${hasKey ? `$${keyVariable}` : 'none'}`,
    `export ANTHROPIC_MODEL=${model}`,
    `export ANTHROPIC_SMALL_FAST_MODEL=${model}`,
    'claude',
  ]
}

/** The request of a fixture that ships with the package. */
const QUESTION = 'What is the capital of France?'

function shellWord(text = ''): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

function quoted(text = ''): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}
