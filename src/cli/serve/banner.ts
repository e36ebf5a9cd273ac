import { createPaint, plain, wrap } from '../terminal-text.js'
import type { Screen } from '../timeline-layout.js'
import { type ClientSettings, claudeCode, codex } from './client-lines.js'

export interface BannerOptions extends ClientSettings {
  readonly version: string
  /** The description of the engine: `a scripted model`. */
  readonly engine: string
  /** The paths that the engine's server answers itself. */
  readonly passed: readonly string[]
  /** Whether nobody can read the metrics: clients have keys of their own, and the operator has none. */
  readonly isMetricsClosed: boolean
  /** The environment variable that may hold the operator's key. */
  readonly operatorVariable: string
  /** Whether it has a page for browsers. */
  readonly hasPage: boolean
  /** The built-in tools that it runs, in lines. */
  readonly tools: readonly string[]
  /** Whether seals open after a restart. */
  readonly hasSealKeys: boolean
  /** The store of responses; undefined for the memory of the process. */
  readonly store: string | undefined
  /** The file of seal keys that was created for the store; undefined if they are elsewhere. */
  readonly keyFile: string | undefined
  /** The environment variable that may hold the seal keys. */
  readonly sealKeysVariable: string
}

/** Formats the banner of `serve`: its address, and snippets that use it. */
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
    ...[
      ...aboutThePage(options),
      ...aboutPassed(options),
      ...options.tools,
      ...aboutRestart(options),
      ...aboutMetrics(options),
    ]
      .flatMap((text) => wrap(plain(text), columns, 2))
      .map((line) => `${line}\n`),
    ...blocks.map(([title, lines]) => `\n${paint(title, 'cyan')}\n${lines.map((line) => `  ${line}\n`).join('')}`),
    `\n${paint('Ctrl-C stops it after its responses have ended; a second one stops it at once.', 'dim')}\n`,
  ].join('')
}

function aboutThePage({ hasPage, url }: BannerOptions): string[] {
  return hasPage ? [`open ${url}/ in a browser: talk with the model, and look inside`] : []
}

function aboutPassed({ passed }: BannerOptions): string[] {
  return passed.length === 0 ? [] : [`passes ${passed.join(' and ')} on to the engine`]
}

/** Describes the losses of a restart: none if responses and seal keys outlive the process. */
function aboutRestart({ hasSealKeys, sealKeysVariable, store, keyFile }: BannerOptions): string[] {
  return [
    store === undefined ? 'no --store: stored responses do not survive a restart' : `keeps responses in ${store}`,
    ...(keyFile === undefined ? [] : [`seal keys are in ${keyFile}: keep them with it`]),
    ...(hasSealKeys ? [] : [`no ${sealKeysVariable}: no seal opens after a restart`]),
  ]
}

function aboutMetrics({ isMetricsClosed, operatorVariable }: BannerOptions): string[] {
  return isMetricsClosed ? [`no ${operatorVariable}: nobody can read /metrics`] : []
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

/** The request of a fixture that ships with the package. */
const QUESTION = 'What is the capital of France?'

function quoted(text = ''): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}
