import { createHash } from 'node:crypto'
import { PRELUDE } from './prelude.js'

/** A script as Redis knows it. */
export interface Script {
  readonly text: string
  readonly sha: string
}

const known = new Map<string, Script>()

/** Returns a script that begins with the prelude. */
export function scriptOf(body: string): Script {
  let script = known.get(body)
  if (script === undefined) {
    const text = PRELUDE + body
    script = { text, sha: createHash('sha1').update(text).digest('hex') }
    known.set(body, script)
  }
  return script
}
