/** What a client has to know of a server. */
export interface ClientSettings {
  /** The address of the server: `http://127.0.0.1:8000`. */
  readonly url: string
  /** The names of the model, its own first. */
  readonly models: readonly string[]
  readonly hasKey: boolean
  /** The environment variable that holds the key. */
  readonly keyVariable: string
}

/** Returns the lines of Codex's configuration, `~/.codex/config.toml`. */
export function codex({ url, models, hasKey, keyVariable }: ClientSettings): string[] {
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

/** Returns the commands that start Claude Code in a shell. */
export function claudeCode({ url, models, hasKey, keyVariable }: ClientSettings): string[] {
  const model = shellWord(models[0])
  return [
    `export ANTHROPIC_BASE_URL=${url}`,
    `export ANTHROPIC_API_KEY=${hasKey ? `$${keyVariable}` : 'none'}`,
    `export ANTHROPIC_MODEL=${model}`,
    `export ANTHROPIC_SMALL_FAST_MODEL=${model}`,
    'claude',
  ]
}

/** Quotes text as one word of a shell, where it has to be. */
export function shellWord(text = ''): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
