/**
 * The name under which Claude Code lists a model: it drops all that have neither `claude` nor `anthropic` in them, and knows
 * no slash.
 */
export function modelAlias(model: string): string {
  if (/claude|anthropic/i.test(model)) return model
  return `claude-${model.slice(model.lastIndexOf('/') + 1)}`
}

/** The model that a client means, if it asks by an alias. */
export function modelOfAlias(asked: unknown, models: readonly string[]): string | undefined {
  if (typeof asked !== 'string' || models.includes(asked)) return undefined
  return models.find((model) => modelAlias(model) === asked)
}
