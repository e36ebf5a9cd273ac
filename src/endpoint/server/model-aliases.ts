/**
 * Returns the name under which Claude Code lists a model: it drops all names without `claude` or `anthropic`, and
 * accepts no slash.
 */
export function modelAlias(model: string): string {
  if (/claude|anthropic/i.test(model)) return model
  return `claude-${model.slice(model.lastIndexOf('/') + 1)}`
}

/** Returns the model that an alias stands for. */
export function modelOfAlias(name: unknown, models: readonly string[]): string | undefined {
  if (typeof name !== 'string' || models.includes(name)) return undefined
  return models.find((model) => modelAlias(model) === name)
}
