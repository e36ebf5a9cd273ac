/** The echoes that responses have had since the first version, each with the field that it follows. */
const ECHOES_SINCE: ReadonlyMap<string, string> = new Map([
  ['background', 'conversation'],
  ['prompt_cache_key', 'prompt_cache_retention'],
])

/** Returns an event of the first version, with what a request that asks for none of it has been echoed since. */
export function withEchoesSince(event: object): object {
  if (!('response' in event)) return event
  const fields = Object.entries(event.response as object).flatMap(([name, field]) => {
    const since = ECHOES_SINCE.get(name)
    return [[name, field], ...(since === undefined ? [] : [[since, null]])]
  })
  return { ...event, response: Object.fromEntries(fields) }
}
