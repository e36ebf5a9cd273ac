// Shortens what tsup wrote: `node scripts/shorten-code.mjs`, a step of a build. It takes a quarter off the packed code.
//
// White space, comments and the names of variables go. What a stack trace shows stays: the names of functions, methods and
// classes. So do the annotations of pure calls, without which a bundler would keep in a consumer's bundle what the consumer
// does not use: esbuild's own minifier drops them with the white space. Each statement stays by itself: a bundler keeps all of
// one if it needs a part.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { minify } from 'terser'

const dist = fileURLToPath(new URL('../dist', import.meta.url))

/** A variable of a module whose name a function or a class has in stack traces: esbuild writes classes so. */
const NAMED = /^(?:var|let|const) ([\w$]+) = (?:class\b|async\b|function\b|\([^)]*\) =>|[\w$]+ =>)/gm

for (const name of readdirSync(dist, { recursive: true })) {
  if (!name.endsWith('.js')) continue
  const file = join(dist, name)
  const source = readFileSync(file, 'utf8')
  const { code } = await minify(source, {
    ecma: 2022,
    // Only for the parser: to the rest it would mean that all names of a module may go.
    parse: { module: true },
    // What shortens within a statement and joins none.
    compress: { defaults: false, booleans: true, conditionals: true, if_return: true, properties: true, unused: false },
    mangle: {
      toplevel: true,
      keep_fnames: true,
      keep_classnames: true,
      reserved: Array.from(source.matchAll(NAMED), ([, variable]) => variable),
    },
    format: { semicolons: false, preserve_annotations: true, comments: false },
  })
  writeFileSync(file, `${code}\n`)
}
