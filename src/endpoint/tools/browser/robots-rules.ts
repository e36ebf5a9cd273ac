/** Whether a robot may load a path with its query, as `URL` writes them. */
export type MayLoad = (path: string) => boolean

interface Rule {
  readonly isAllowed: boolean
  readonly pattern: string
}

/**
 * Reads a robots.txt.
 *
 * Source: RFC 9309. Of the rules that match, the longest counts; of two equal ones, that which allows.
 *
 * @param robot - the product token of the robot: `harmony-responses`
 */
export function readRobots(text: string, robot: string): MayLoad {
  const name = robot.toLowerCase()
  const groups = groupsOf(text, [name, ALL])
  const rules = groups.get(name) ?? groups.get(ALL) ?? []
  return (path) => {
    const normal = upperCaseEscapes(path)
    let best: Rule | undefined
    for (const rule of rules) {
      const isLonger = rule.pattern.length - (best?.pattern.length ?? -1) + (rule.isAllowed ? 1 : 0) > 0
      if (isLonger && matches(rule.pattern, normal)) best = rule
    }
    return best?.isAllowed ?? true
  }
}

/** Stands for the robots that have no rules of their own. */
const ALL = '*'

/** Returns the rules of these robots, by their names. */
function groupsOf(text: string, names: readonly string[]): ReadonlyMap<string, readonly Rule[]> {
  const groups = new Map<string, Rule[]>()
  const current = new Set<string>()
  let isHeading = false
  for (const line of text.split(/\r\n?|\n/)) {
    const [field = '', ...rest] = (line.split('#', 1)[0] ?? '').split(':')
    const [name, value] = [field.trim().toLowerCase(), rest.join(':').trim()]
    if (name === 'user-agent') {
      if (!isHeading) current.clear()
      isHeading = true
      const robot = (/^[a-z_-]+|^\*/i.exec(value)?.[0] ?? '').toLowerCase()
      if (!names.includes(robot)) continue
      current.add(robot)
      if (!groups.has(robot)) groups.set(robot, [])
    } else if (name === 'allow' || name === 'disallow') {
      isHeading = false
      const rule = { isAllowed: name === 'allow', pattern: normalized(value) }
      // An empty one is no rule.
      if (value !== '') for (const robot of current) groups.get(robot)?.push(rule)
    }
  }
  return groups
}

function normalized(pattern: string): string {
  return upperCaseEscapes(pattern.replace(/[^\x21-\x7e]+/g, (text) => encodeURIComponent(text)))
}

function upperCaseEscapes(path: string): string {
  return path.replace(/%[\da-f]{2}/gi, (found) => found.toUpperCase())
}

/** Whether a path begins as a pattern says, in which `*` stands for any text, and a last `$` for the end. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$')
  const [first = '', ...rest] = (isWhole ? pattern.slice(0, -1) : pattern).split('*')
  if (!path.startsWith(first)) return false
  const last = isWhole ? rest.pop() : undefined
  let at = first.length
  for (const part of rest) {
    const found = path.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  if (!isWhole) return true
  return last === undefined ? at === path.length : path.length - last.length >= at && path.endsWith(last)
}
