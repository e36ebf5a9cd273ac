import type { BrowserToolOptions } from '../../../endpoint/tools/browser/index.js'
import { HarmonyResponsesError } from '../../../shared/errors.js'
import { type Io, UsageError } from '../../io.js'
import type { HostedTool } from '../hosted-tool.js'
import { readSecret, secretName } from '../secrets.js'
import type { SearchChoice } from './search-choice.js'

/** Opens the browser of `--search`. @throws UsageError, also if a package is not installed */
export async function openSearch(choice: SearchChoice | undefined, io: Io): Promise<HostedTool | undefined> {
  if (choice === undefined) return undefined
  const { backend, url, allow, domains, robots } = choice
  const browser = await import('../../../endpoint/tools/browser/index.js')
  try {
    const fetch = await browser.createGuardedFetch({ allow })
    const search = browser[backend] as (options: object) => BrowserToolOptions['backend']
    const given = backend === 'searxng' ? { url } : { apiKey: await keyOf(choice, io) }
    const tool = await browser.createBrowserTool({
      ...{ backend: search(given), fetch, robots },
      ...(domains.length > 0 && { allowedDomains: domains }),
    })
    return { tool, declaration: { type: 'web_search' }, about: [`web_search: searches by ${backend}`] }
  } catch (error) {
    if (!(error instanceof HarmonyResponsesError)) throw error
    const why = error.message.replace(/^(?:allow|allowedDomains)\b/, (option) => OPTIONS[option] ?? option)
    throw new UsageError(`--search ${backend}: ${why}`, { cause: error })
  }
}

/** The options of `serve` by those of the library. */
const OPTIONS: { readonly [option: string]: string } = { allow: '--search-allow', allowedDomains: '--search-domain' }

async function keyOf({ key }: SearchChoice, io: Io): Promise<string> {
  // `searchChoice` returns no service without a key.
  if (key === undefined) return ''
  const text = (await readSecret(key, io)).trim()
  if (/^[\x21-\x7e]+$/.test(text)) return text
  throw new UsageError(`${secretName(key)}: expected a key of visible ASCII characters`)
}
